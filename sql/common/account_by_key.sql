-- One account by its public access key.
SELECT id, name, access_key, currency, created_at FROM account WHERE access_key = $1
