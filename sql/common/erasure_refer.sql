-- The references by which the shop knows an erasure.
UPDATE erasure SET reference = $3 WHERE account_id = $1 AND id = $2
