-- How many orders of a subject came with an address.
SELECT count(*) FROM order_known WHERE subject_id = $1 AND email = $2
