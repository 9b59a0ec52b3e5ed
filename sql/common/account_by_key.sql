-- One open account by its public access key: the key of a closed one opens nothing.
SELECT id, name, access_key, currency, created_at, closed_at, removal_percent FROM account WHERE access_key = $1 AND closed_at IS NULL
