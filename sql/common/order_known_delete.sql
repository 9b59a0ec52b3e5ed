-- Nothing recognises the orders of a subject any more.
DELETE FROM order_known WHERE subject_id = $1
