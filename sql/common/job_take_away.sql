-- Takes a job away, also from a holder, whose writes are refused from then on.
DELETE FROM job WHERE account_id = $1 AND lane = $2 AND seq = $3
