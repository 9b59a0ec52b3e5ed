-- A list of rules of an account's search that is kept.
SELECT version, made_at, rules_count, rules FROM search_rules WHERE account_id = $1 AND version = $2
