-- Takes a due job for this node under a number that nobody had before, so that an older holder's writes are refused,
-- unless somebody else has taken it since it was found. It begins anew, and so does what is counted of it.
UPDATE job SET holder = $4, lease = $5, beat = job.beat + 1, attempts = job.attempts + 1,
  phase = 'starting', rows_done = 0, bytes_done = 0, bytes_total = NULL, reading_ms = 0
WHERE account_id = $1 AND lane = $2 AND seq = $3 AND holder IS NULL AND (run_at <= $6 OR run_at > $7)
RETURNING attempts
