-- How many entries the ledger has.
SELECT size FROM ledger_head WHERE id = 1
