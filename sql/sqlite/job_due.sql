-- The due job of a lane whose account has the fewest running, then the one that waits longest, then the one that was
-- accepted first (the key is a text, in which 10 comes before 2).
SELECT key FROM job WHERE lane = $1 AND (run_at <= $2 OR run_at > $3) AND holder IS NULL
ORDER BY (SELECT count(*) FROM job AS other
          WHERE other.lane = job.lane AND other.account_id = job.account_id AND other.holder IS NOT NULL),
         run_at, seq, key LIMIT 1
