-- The hash of a complete subtree of the ledger's tree.
INSERT INTO ledger_node (n, hash) VALUES ($1, $2)
