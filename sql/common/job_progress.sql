-- Where a job is.
SELECT phase, rows_done, bytes_done, bytes_total, reading_ms, run_at FROM job WHERE account_id = $1 AND lane = $2 AND seq = $3
