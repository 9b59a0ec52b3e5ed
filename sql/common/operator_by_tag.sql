-- The operator of a name.
SELECT operator_id FROM operator_name WHERE tag = $1
