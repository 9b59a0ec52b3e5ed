-- Takes the rows of accounts, in their order, and reads their counters.
SELECT id, seq, feeds, deltas FROM account WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE
