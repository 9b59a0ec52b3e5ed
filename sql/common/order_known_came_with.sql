-- A later line of an order says which address it came with.
UPDATE order_known SET email = $1 WHERE account_id = $2 AND tag = $3 AND email IS NULL
