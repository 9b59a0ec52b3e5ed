-- Nothing recognises an order any more.
DELETE FROM order_known WHERE account_id = $1 AND tag = $2
