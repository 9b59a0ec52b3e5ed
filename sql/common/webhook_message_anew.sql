-- What waits is tried at once, as if it never was.
UPDATE webhook_message SET next_at = $2, tries = 0 WHERE account_id = $1
