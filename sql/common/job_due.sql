-- The due job of a lane whose turn it is, then the one that waits longest, then the one that was accepted first; also
-- one that seems to have to wait for longer than any does. The index is in this order: the first entry that is due, of
-- another account than those that run as many as they may: ',1,2,'. And the next, which another worker may take.
SELECT account_id, seq FROM job WHERE lane = $1 AND holder IS NULL AND (run_at <= $2 OR run_at > $3)
  AND replace($4, ',' || account_id || ',', '') = $4
ORDER BY lane, turn, run_at, account_id, seq LIMIT 2
