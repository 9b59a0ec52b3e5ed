-- An entry of an account's ledger. Nothing ever changes or deletes one.
INSERT INTO ledger (account_id, n, entry) VALUES ($1, $2, $3)
