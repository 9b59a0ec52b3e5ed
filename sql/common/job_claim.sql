-- Takes a claimed job for this node; the lease grows, so that an older holder's writes are refused.
UPDATE job SET holder = $2, lease = job.lease + 1, beat = job.beat + 1, attempts = job.attempts + 1
WHERE key = $1
RETURNING key, lane, account_id, seq, wake, attempts, lease
