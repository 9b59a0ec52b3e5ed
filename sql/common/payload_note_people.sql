-- Whether what waits may hold people: a running feed has begun to keep rows about them, or keeps none any more.
UPDATE payload SET may_hold_people = $3 WHERE account_id = $1 AND seq = $2
