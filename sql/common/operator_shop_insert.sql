-- An operator works for a shop.
INSERT INTO operator_shop (operator_id, account_id) VALUES ($1, $2)
