-- Changes before a place that set the same members of the same variant: a newer one made them meaningless under every cut.
DELETE FROM change WHERE account_id = $1 AND section = $2 AND sku = $3 AND op = 'set_variant' AND (seq, n) < ($4, $5)
