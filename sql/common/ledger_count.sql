-- Counts one entry more and gives how many there are then; one transaction at a time.
UPDATE ledger_head SET size = ledger_head.size + 1 WHERE id = 1 RETURNING size
