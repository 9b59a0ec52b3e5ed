-- An erasure, accepted.
INSERT INTO erasure (account_id, seq, id, state, asked_at, due_at, slot, sealed, faults)
VALUES ($1, $2, $3, 'accepted', $4, $5, $6, $7, 0)
