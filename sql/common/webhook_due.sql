-- The accounts that have a message to be tried, those first that were not tried for the longest.
SELECT account_id FROM webhook WHERE off_reason IS NULL AND rest_until <= $1
  AND EXISTS (SELECT 1 FROM webhook_message
    WHERE webhook_message.account_id = webhook.account_id AND webhook_message.next_at <= $1)
ORDER BY rest_until, account_id LIMIT $2
