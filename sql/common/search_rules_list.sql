-- The lists of rules of an account's search that are kept, newest first, without the rules.
SELECT version, made_at, restored, rules_count FROM search_rules WHERE account_id = $1 ORDER BY version DESC
