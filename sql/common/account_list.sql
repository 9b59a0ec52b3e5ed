-- All accounts, oldest first.
SELECT id, name, access_key, currency, created_at FROM account ORDER BY id
