-- Removals that named a SKU, after the cut.
SELECT seq, n, op, body FROM change
WHERE account_id = $1 AND section = $2 AND sku = $3 AND op = 'delete' AND seq > $4 ORDER BY seq, n
