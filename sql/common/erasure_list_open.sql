-- The erasures of an account before a place that are not verified and due before a time, newest first.
SELECT seq, id, state, asked_at, due_at, verified_at, waits_for, fault, faults, reference FROM erasure
WHERE account_id = $1 AND seq < $2 AND verified_at IS NULL AND due_at < $3 ORDER BY seq DESC LIMIT $4
