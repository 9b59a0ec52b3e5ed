-- Every file that a snapshot needs.
SELECT blob, sku_blob FROM snapshot ORDER BY blob
