-- The next message of an account that is to be tried.
SELECT id, body, made_at, tries FROM webhook_message WHERE account_id = $1 AND (next_at <= $2 OR next_at > $3)
ORDER BY next_at, made_at, id LIMIT 1
