-- All secrets of an account, oldest first.
SELECT n, hash, token_key, created_at, expires_at, revoked_at FROM secret WHERE account_id = $1 ORDER BY n
