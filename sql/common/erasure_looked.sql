-- The text of the catalogue was looked through for an erasure.
UPDATE erasure SET text_at = $3 WHERE account_id = $1 AND seq = $2
