-- The public id of an erasure.
SELECT id FROM erasure WHERE account_id = $1 AND seq = $2
