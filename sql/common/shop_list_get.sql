-- A list of a kind that is kept.
SELECT version, made_at, entry_count, entries FROM shop_list WHERE account_id = $1 AND kind = $2 AND version = $3
