-- The erasures of an account that are not verified: first those whose keys are not destroyed yet, then oldest first.
SELECT seq, id, state, asked_at, due_at, slot, sealed, faults FROM erasure
WHERE account_id = $1 AND verified_at IS NULL
ORDER BY CASE WHEN state IN ('accepted', 'fenced') THEN 0 ELSE 1 END, seq LIMIT $2
