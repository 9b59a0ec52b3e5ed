-- Changes of an item's variants, oldest first, each with the key by which a newer one supersedes it.
SELECT seq, n, op, sku FROM change
WHERE account_id = $1 AND section = $2 AND item = $3 AND op IN ('add_variant', 'set_variant', 'delete_variant')
ORDER BY seq, n
