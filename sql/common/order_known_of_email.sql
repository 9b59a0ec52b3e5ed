-- The orders of a subject that came with an address.
SELECT n, tag, event_n FROM order_known WHERE account_id = $1 AND subject_id = $2 AND email = $3 ORDER BY n LIMIT $4
