-- Sets the end of a secret that is being rotated out.
UPDATE secret SET expires_at = $3 WHERE account_id = $1 AND n = $2 AND revoked_at IS NULL AND expires_at IS NULL
