-- Open uploads of an account.
SELECT count(*) FROM upload WHERE account_id = $1 AND name IS NOT NULL
