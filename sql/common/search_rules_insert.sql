-- A list of rules that acts from now on.
INSERT INTO search_rules (account_id, version, made_at, restored, rules_count, rules) VALUES ($1, $2, $3, $4, $5, $6)
