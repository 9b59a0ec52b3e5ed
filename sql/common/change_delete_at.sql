-- The change at a place, which a newer one made meaningless under every cut.
DELETE FROM change WHERE account_id = $1 AND seq = $2 AND n = $3
