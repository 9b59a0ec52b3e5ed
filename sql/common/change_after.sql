-- What was applied after a place, in its order: which item, and the SKU that a removal named.
SELECT seq, n, section, item, sku, op FROM change
WHERE account_id = $1 AND (seq, n) > ($2, $3) ORDER BY seq, n LIMIT $4
