-- Whether an erasure is not verified.
SELECT 1 FROM erasure WHERE account_id = $1 AND seq = $2 AND verified_at IS NULL
