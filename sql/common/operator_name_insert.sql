-- What an operator is called.
INSERT INTO operator_name (tag, operator_id, name) VALUES ($1, $2, $3)
