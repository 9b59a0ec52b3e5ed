-- Ends a secret at once.
UPDATE secret SET revoked_at = $3 WHERE account_id = $1 AND n = $2 AND revoked_at IS NULL
