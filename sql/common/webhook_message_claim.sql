-- A try of a message begins.
UPDATE webhook_message SET tries = $3, next_at = $4 WHERE account_id = $1 AND id = $2
