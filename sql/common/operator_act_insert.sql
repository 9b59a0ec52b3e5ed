-- Something that an operator did.
INSERT INTO operator_act (at, id, operator_id, act, account_id, about) VALUES ($1, $2, $3, $4, $5, $6)
