-- The newest change after the cut that put an item under this SKU, or that named it in a removal.
SELECT item, seq, n FROM change
WHERE account_id = $1 AND section = $2 AND sku = $3 AND op = $4 AND seq > $5 ORDER BY seq DESC, n DESC LIMIT 1
