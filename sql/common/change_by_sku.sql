-- The items with this SKU that a delta put after the cut, newest first.
SELECT item, seq FROM change
WHERE account_id = $1 AND section = $2 AND sku = $3 AND op = 'put' AND seq > $4 ORDER BY seq DESC, n DESC LIMIT 1
