-- The snapshots of a section, newest first.
SELECT seq, kind_number, blob, sku_blob, items, bytes, published_at FROM snapshot
WHERE account_id = $1 AND section = $2 ORDER BY ready_seq DESC
