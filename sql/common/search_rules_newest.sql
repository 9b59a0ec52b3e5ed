-- The list of rules of an account's search that acts.
SELECT version, made_at, rules_count, rules FROM search_rules WHERE account_id = $1 ORDER BY version DESC LIMIT 1
