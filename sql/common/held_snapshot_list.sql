-- The snapshots of one submission that were not published.
SELECT section, blob, sku_blob, items, bytes FROM held_snapshot WHERE account_id = $1 AND seq = $2 ORDER BY section
