-- Counts one entry of an account's ledger more and gives how many there are then, and the ledger's id; one transaction at a
-- time.
UPDATE ledger_head SET size = ledger_head.size + 1 WHERE account_id = $1 RETURNING size, ledger
