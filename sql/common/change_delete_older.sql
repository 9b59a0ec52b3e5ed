-- Changes to an item before a place: a newer whole replacement made them unreachable. A removal that named a SKU may be
-- about the item of another snapshot, too: it goes only when the same SKU is removed again.
DELETE FROM change WHERE account_id = $1 AND section = $2 AND item = $3 AND (seq, n) < ($4, $5)
  AND (op <> 'delete' OR sku IS NULL OR sku = $6)
