-- The item that a delta after the cut put or removed under a SKU last.
SELECT item, seq FROM change
WHERE account_id = $1 AND section = $2 AND sku = $3 AND seq > $4 ORDER BY seq DESC, n DESC LIMIT 1
