-- The snapshots of a section with their files, newest first.
SELECT seq, blob, sku_blob, published_at FROM snapshot
WHERE account_id = $1 AND section = $2 ORDER BY ready_seq DESC
