-- The list of a kind that acts.
SELECT version, made_at, entry_count, entries FROM shop_list WHERE account_id = $1 AND kind = $2
ORDER BY version DESC LIMIT 1
