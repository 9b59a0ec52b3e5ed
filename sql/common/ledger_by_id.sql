-- The account of the ledger that has this id.
SELECT account_id FROM ledger_head WHERE ledger = $1
