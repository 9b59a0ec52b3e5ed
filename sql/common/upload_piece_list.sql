-- The pieces of an upload in their order.
SELECT blob, bytes FROM upload_piece WHERE account_id = $1 AND seq = $2 ORDER BY n
