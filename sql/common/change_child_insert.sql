-- A child that the product of a change lists.
INSERT INTO change_child (account_id, seq, n, child) VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, seq, n, child) DO NOTHING
