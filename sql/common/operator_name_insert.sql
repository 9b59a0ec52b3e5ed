-- What an operator is called.
INSERT INTO operator_name (tag, operator_id, sealed) VALUES ($1, $2, $3)
