-- The shops of an operator.
SELECT account_id FROM operator_shop WHERE operator_id = $1 ORDER BY account_id
