-- The erasures of an account before a place of which nothing more comes, verified or lost, newest first.
SELECT seq, id, state, asked_at, due_at, verified_at, waits_for, fault, faults, reference FROM erasure
WHERE account_id = $1 AND seq < $2 AND state = $3 ORDER BY seq DESC LIMIT $4
