-- The hash of a complete subtree of the tree of an account's ledger.
INSERT INTO ledger_node (account_id, n, hash) VALUES ($1, $2, $3)
