-- Gives the account's next sequence number, and that of a feed or a delta; rolled back with its transaction, so there
-- are no gaps.
UPDATE account SET seq = account.seq + $2, feeds = account.feeds + $3, deltas = account.deltas + $4
WHERE id = $1 RETURNING seq, feeds, deltas
