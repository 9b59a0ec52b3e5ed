-- An open upload takes a piece; gives the number of the piece, from 1.
UPDATE upload SET pieces = upload.pieces + 1, bytes = upload.bytes + $3, touched_at = $4
WHERE account_id = $1 AND seq = $2 AND name IS NOT NULL RETURNING pieces
