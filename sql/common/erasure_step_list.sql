-- The states that an erasure has reached, and when.
SELECT state, at FROM erasure_step WHERE account_id = $1 AND seq = $2
