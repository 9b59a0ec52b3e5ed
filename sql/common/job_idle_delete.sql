-- Takes back a job that nobody works on.
DELETE FROM job WHERE account_id = $1 AND lane = $2 AND seq = $3 AND holder IS NULL
