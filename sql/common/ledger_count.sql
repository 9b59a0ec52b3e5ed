-- Counts one more entry of an account's ledger; gives how many there are then, and the ledger's id.
UPDATE ledger_head SET size = ledger_head.size + 1 WHERE account_id = $1 RETURNING size, ledger
