-- When the next job of a lane is due. One that was put off beyond $2 is due now: the clock was wrong.
SELECT min(CASE WHEN run_at > $2 THEN 0 ELSE run_at END) FROM job WHERE lane = $1 AND holder IS NULL
