-- Ends a message.
DELETE FROM webhook_message WHERE account_id = $1 AND id = $2
