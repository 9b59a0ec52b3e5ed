-- Gives the account's next sequence number; rolled back with its transaction, so there are no gaps.
UPDATE account SET seq = account.seq + 1 WHERE id = $1 RETURNING seq
