-- The hash of a complete subtree of an account's ledger.
SELECT hash FROM ledger_node WHERE account_id = $1 AND n = $2
