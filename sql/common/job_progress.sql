-- Where a job is, and why its last try failed.
SELECT phase, rows_done, bytes_done, bytes_total, reading_ms, run_at, fault, tries_left
FROM job WHERE account_id = $1 AND lane = $2 AND seq = $3
