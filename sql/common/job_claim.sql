-- Takes a claimed job for this node under a number that nobody had before, so that an older holder's writes are
-- refused. It begins anew, and so does what is counted of it.
UPDATE job SET holder = $2, lease = $3, beat = job.beat + 1, attempts = job.attempts + 1,
  phase = 'starting', rows_done = 0, bytes_done = 0, bytes_total = NULL, reading_ms = 0
WHERE key = $1
RETURNING key, account_id, seq, attempts, lease
