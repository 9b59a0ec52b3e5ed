-- The erasures of an account that are not verified, oldest first.
SELECT seq, id, state, asked_at, due_at, slot, sealed, text_at FROM erasure
WHERE account_id = $1 AND verified_at IS NULL ORDER BY seq LIMIT $2
