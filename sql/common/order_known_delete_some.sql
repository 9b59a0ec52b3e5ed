-- Nothing recognises some of the orders of a subject any more, the first ones: up to a place, so that no plan compares all
-- with all.
DELETE FROM order_known WHERE account_id = $1 AND subject_id = $2 AND n <= (
  SELECT max(n) FROM (
    SELECT n FROM order_known WHERE account_id = $1 AND subject_id = $2 ORDER BY n LIMIT $3) AS these)
