-- How many orders of a subject are recognised.
SELECT count(*) FROM order_known WHERE subject_id = $1
