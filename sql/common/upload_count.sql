-- Open uploads of an account.
SELECT count(*) AS counted FROM upload WHERE account_id = $1 AND name IS NOT NULL
