-- The holder lives; its progress.
UPDATE job SET beat = job.beat + 1, phase = $3, rows_done = $4, bytes_done = $5, bytes_total = $6,
  reading_ms = $7
WHERE key = $1 AND lease = $2 AND holder IS NOT NULL
