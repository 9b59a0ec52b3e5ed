-- Removals after the cut that named a SKU and no item that was known then; all but those of an item.
SELECT seq, n, op, row_number, body, raw FROM change
WHERE account_id = $1 AND section = $2 AND sku = $3 AND op = 'delete' AND seq > $4 AND item <> $5
ORDER BY seq DESC, n DESC LIMIT $6
