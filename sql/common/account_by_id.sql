-- One account by its number.
SELECT id, name, access_key, currency, created_at, closed_at, removal_percent FROM account WHERE id = $1
