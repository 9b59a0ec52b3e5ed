-- Something that an operator did.
INSERT INTO operator_act (at, id, operator_id, act, shop_id, about) VALUES ($1, $2, $3, $4, $5, $6)
