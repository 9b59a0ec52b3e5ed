-- The files of the database were written anew for an erasure.
UPDATE erasure SET rebuilt_at = $3 WHERE account_id = $1 AND seq = $2
