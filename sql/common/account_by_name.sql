-- One account by the name its operator gave it.
SELECT id, name, access_key, currency, created_at, closed_at FROM account WHERE name = $1
