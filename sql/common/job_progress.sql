-- Where a job is.
SELECT phase, rows_done, bytes_done, bytes_total, attempts, run_at, holder FROM job WHERE key = $1
