-- Nothing recognises some of the orders of a subject any more.
DELETE FROM order_known WHERE subject_id = $1 AND (account_id, tag) IN (
  SELECT account_id, tag FROM order_known WHERE subject_id = $1 ORDER BY account_id, tag LIMIT $2)
