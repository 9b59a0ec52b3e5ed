-- An account gets its ledger, still without entries.
INSERT INTO ledger_head (account_id, ledger, size) VALUES ($1, $2, 0)
