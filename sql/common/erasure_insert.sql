-- An erasure, accepted.
INSERT INTO erasure (account_id, seq, state, asked_at, slot, sealed) VALUES ($1, $2, 'accepted', $3, $4, $5)
