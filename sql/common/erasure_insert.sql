-- An erasure, accepted.
INSERT INTO erasure (account_id, seq, id, state, asked_at, due_at, slot, sealed, faults, asked, reference)
VALUES ($1, $2, $3, 'accepted', $4, $5, $6, $7, 0, $8, $9)
