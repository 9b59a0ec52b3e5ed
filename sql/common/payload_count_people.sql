-- How many payloads accepted before an erasure still wait that may hold people.
SELECT count(*) AS counted FROM payload WHERE account_id = $1 AND seq < $2 AND may_hold_people = 1
