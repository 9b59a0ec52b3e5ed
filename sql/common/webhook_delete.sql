-- Ends a webhook.
DELETE FROM webhook WHERE account_id = $1
