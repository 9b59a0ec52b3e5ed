-- The orders of a subject that came with an address.
SELECT n, tag FROM order_known WHERE subject_id = $1 AND email = $2 ORDER BY n LIMIT $3
