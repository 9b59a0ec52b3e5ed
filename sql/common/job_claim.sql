-- Takes a claimed job for this node; the lease grows, so that an older holder's writes are refused. It begins anew,
-- and so do its numbers.
UPDATE job SET holder = $2, lease = job.lease + 1, beat = job.beat + 1, attempts = job.attempts + 1,
  phase = 'starting', rows_done = 0, bytes_done = 0, bytes_total = NULL, reading_ms = 0
WHERE key = $1
RETURNING key, lane, account_id, seq, wake, attempts, lease
