-- Ends every secret of an account and its tokens at once.
UPDATE secret SET revoked_at = $2, token_key = NULL WHERE account_id = $1 AND revoked_at IS NULL
