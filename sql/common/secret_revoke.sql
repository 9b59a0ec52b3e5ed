-- Ends a secret and its tokens at once.
UPDATE secret SET revoked_at = $3, token_key = NULL WHERE account_id = $1 AND n = $2 AND revoked_at IS NULL
