-- Gives the job back, to run again at a time.
UPDATE job SET holder = NULL, run_at = $3, attempts = $4, phase = $5, reading_ms = 0
WHERE key = $1 AND lease = $2
