-- The accounts that have a message to be tried, those first that were not tried for the longest. A time that is further
-- away than a pause can be was set by a clock that was ahead.
SELECT account_id FROM webhook WHERE off_reason IS NULL AND (rest_until <= $1 OR rest_until > $3)
  AND EXISTS (SELECT 1 FROM webhook_message WHERE webhook_message.account_id = webhook.account_id
    AND (webhook_message.next_at <= $1 OR webhook_message.next_at > $4))
ORDER BY rest_until, account_id LIMIT $2
