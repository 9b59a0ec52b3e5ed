-- Gives the job back, to run again at a time; with what made its last try fail, if one did.
UPDATE job SET holder = NULL, run_at = $5, attempts = $6, phase = $7, reading_ms = 0,
  fault = $8, tries_left = $9
WHERE account_id = $1 AND lane = $2 AND seq = $3 AND lease = $4
