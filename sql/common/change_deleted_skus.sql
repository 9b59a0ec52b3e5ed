-- SKUs that deltas after a cut removed, in pages.
SELECT DISTINCT sku FROM change
WHERE account_id = $1 AND section = $2 AND seq > $3 AND op = 'delete' AND sku IS NOT NULL AND sku > $4
ORDER BY sku LIMIT $5
