-- Ends all messages of an account.
DELETE FROM webhook_message WHERE account_id = $1
