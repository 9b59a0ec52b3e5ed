-- Every file that a snapshot, shown or held, or an upload needs.
SELECT blob FROM snapshot
UNION ALL SELECT sku_blob FROM snapshot WHERE sku_blob IS NOT NULL
UNION ALL SELECT blob FROM held_snapshot
UNION ALL SELECT sku_blob FROM held_snapshot WHERE sku_blob IS NOT NULL
UNION ALL SELECT blob FROM upload_piece
