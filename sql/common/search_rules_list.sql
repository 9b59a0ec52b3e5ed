-- The newest lists of rules of an account's search.
SELECT version, made_at, restored, rules FROM search_rules WHERE account_id = $1 ORDER BY version DESC LIMIT $2
