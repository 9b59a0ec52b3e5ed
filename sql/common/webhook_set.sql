-- Another address of a webhook, which is on again and was never tried.
UPDATE webhook SET address = $2, set_at = $3, off_reason = NULL, failed_at = NULL, failure = NULL, fails = 0, rest_until = 0
WHERE account_id = $1
