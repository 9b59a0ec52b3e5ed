-- The examples of a feed's difference go with its counts.
DELETE FROM difference_example WHERE account_id = $1 AND seq = $2
