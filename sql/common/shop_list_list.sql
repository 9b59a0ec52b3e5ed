-- The lists of a kind that are kept, newest first, without what they hold.
SELECT version, made_at, restored, entry_count FROM shop_list WHERE account_id = $1 AND kind = $2
ORDER BY version DESC
