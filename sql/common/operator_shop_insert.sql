-- An operator works for a shop.
INSERT INTO operator_shop (account_id, operator_id) VALUES ($1, $2)
