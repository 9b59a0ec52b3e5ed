-- One account by its number.
SELECT id, name, access_key, currency, created_at, closed_at FROM account WHERE id = $1
