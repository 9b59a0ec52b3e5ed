-- One of the first items that a feed changes in one way.
INSERT INTO difference_example (account_id, seq, section, kind, n, item, before, after)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
