-- Every file that a snapshot or an upload needs.
SELECT blob FROM snapshot
UNION ALL SELECT sku_blob FROM snapshot WHERE sku_blob IS NOT NULL
UNION ALL SELECT blob FROM upload_piece
