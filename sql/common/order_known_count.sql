-- How many orders of a subject are recognised.
SELECT count(*) AS counted FROM order_known WHERE account_id = $1 AND subject_id = $2
