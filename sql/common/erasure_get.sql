-- One erasure by its id.
SELECT seq, id, state, asked_at, due_at, verified_at, waits_for, fault, faults, reference FROM erasure
WHERE account_id = $1 AND id = $2
