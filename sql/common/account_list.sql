-- All accounts, oldest first.
SELECT id, name, access_key, currency, created_at, closed_at, removal_percent FROM account ORDER BY id
