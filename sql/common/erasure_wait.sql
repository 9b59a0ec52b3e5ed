-- What an erasure waits for.
UPDATE erasure SET waits_for = $3 WHERE account_id = $1 AND seq = $2
