-- One account by the name its operator gave it.
SELECT id, name, access_key, currency, created_at, closed_at, removal_percent FROM account WHERE name = $1
