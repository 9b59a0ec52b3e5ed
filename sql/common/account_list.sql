-- All accounts, oldest first.
SELECT id, name, access_key, currency, created_at, closed_at FROM account ORDER BY id
