-- The turn of a new job of an account: behind its newest one, and not before those that run now or, when none does, the
-- first that waits (start-time fair queueing): one account's many jobs take turns with everybody's few.
SELECT max(turn) AS turn FROM (
  SELECT turn FROM (SELECT turn + 1 AS turn FROM job WHERE account_id = $1 AND lane = $2 ORDER BY seq DESC LIMIT 1) AS own
  UNION ALL
  SELECT coalesce((SELECT max(turn) FROM job WHERE lane = $2 AND holder IS NOT NULL),
                  (SELECT min(turn) FROM job WHERE lane = $2 AND holder IS NULL)) AS turn
) AS either
