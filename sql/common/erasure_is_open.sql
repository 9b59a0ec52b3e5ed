-- Whether an erasure is not verified.
SELECT seq FROM erasure WHERE account_id = $1 AND seq = $2 AND verified_at IS NULL
