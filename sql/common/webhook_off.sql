-- Switches a webhook off.
UPDATE webhook SET off_reason = $2, failed_at = $3, failure = $2 WHERE account_id = $1
