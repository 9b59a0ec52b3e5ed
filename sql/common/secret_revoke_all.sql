-- Ends every secret of an account at once.
UPDATE secret SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL
