-- Erasures of an account that are not verified and are due before a time, behind one of a due date and place.
SELECT seq, id, asked_at, due_at FROM erasure
WHERE account_id = $1 AND verified_at IS NULL AND (due_at > $2 OR due_at = $2 AND seq > $3) AND due_at < $4
ORDER BY due_at, seq LIMIT $5
