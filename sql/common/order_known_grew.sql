-- An order has more lines than when it was looked at.
UPDATE order_known SET is_noted = 0 WHERE account_id = $1 AND tag = $2
