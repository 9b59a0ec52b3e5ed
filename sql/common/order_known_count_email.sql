-- How many orders of a subject came with an address.
SELECT count(*) AS counted FROM order_known WHERE account_id = $1 AND subject_id = $2 AND email = $3
