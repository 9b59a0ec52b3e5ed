-- An operator is called nothing any more.
DELETE FROM operator_name WHERE operator_id = $1
