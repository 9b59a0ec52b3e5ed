-- Nothing recognises some of the orders of a subject any more.
DELETE FROM order_known WHERE account_id = $1 AND subject_id = $2 AND tag IN (
  SELECT tag FROM order_known WHERE account_id = $1 AND subject_id = $2 ORDER BY n LIMIT $3)
