-- The files of all catalogues: rows as shops sent them, and what leads from SKUs to them.
SELECT blob FROM snapshot UNION SELECT sku_blob FROM snapshot WHERE sku_blob IS NOT NULL
UNION SELECT blob FROM held_snapshot UNION SELECT sku_blob FROM held_snapshot WHERE sku_blob IS NOT NULL
