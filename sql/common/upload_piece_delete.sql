-- The pieces of an upload that has ended.
DELETE FROM upload_piece WHERE account_id = $1 AND seq = $2
