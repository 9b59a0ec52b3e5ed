-- The shops of all operators.
SELECT operator_id, account_id FROM operator_shop ORDER BY operator_id, account_id
