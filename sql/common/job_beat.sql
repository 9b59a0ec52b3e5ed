-- The holder lives; its progress.
UPDATE job SET beat = job.beat + 1, phase = $5, rows_done = $6, bytes_done = $7, bytes_total = $8,
  reading_ms = $9
WHERE account_id = $1 AND lane = $2 AND seq = $3 AND lease = $4 AND holder IS NOT NULL
