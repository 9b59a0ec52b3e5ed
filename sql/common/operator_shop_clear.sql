-- An operator works for no shop.
DELETE FROM operator_shop WHERE operator_id = $1
