-- When an erasure reached a state, first.
INSERT INTO erasure_step (account_id, seq, state, at) VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, seq, state) DO NOTHING
