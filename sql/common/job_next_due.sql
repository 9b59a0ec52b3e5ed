-- When the next job of a lane is due.
SELECT min(run_at) FROM job WHERE lane = $1 AND holder IS NULL
