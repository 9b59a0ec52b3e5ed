-- Gives the job back, to run again at a time.
UPDATE job SET holder = NULL, run_at = $5, attempts = $6, phase = $7, reading_ms = 0
WHERE account_id = $1 AND lane = $2 AND seq = $3 AND lease = $4
