-- How many items of a section a feed changes in one way.
INSERT INTO difference (account_id, seq, section, kind, found) VALUES ($1, $2, $3, $4, $5)
