-- One erasure.
SELECT state, asked_at, slot, sealed FROM erasure WHERE account_id = $1 AND seq = $2
