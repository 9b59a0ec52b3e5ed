-- An entry of the ledger. Nothing ever changes or deletes one.
INSERT INTO ledger (n, entry) VALUES ($1, $2)
