-- The job is done and nothing new has come for it.
DELETE FROM job WHERE account_id = $1 AND lane = $2 AND seq = $3 AND lease = $4 AND wake = $5
