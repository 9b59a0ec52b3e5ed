-- Since when a job of a lane is due; also one that seems to have to wait for longer than any does.
SELECT min(run_at) FROM job WHERE lane = $1 AND (run_at <= $2 OR run_at > $3) AND holder IS NULL
