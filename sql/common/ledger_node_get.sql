-- The hash of a complete subtree.
SELECT hash FROM ledger_node WHERE n = $1
