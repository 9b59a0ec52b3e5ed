-- The deltas of an account that wait, so many at most: how many, and when the oldest was accepted.
SELECT count(*) AS counted, min(accepted_at) AS oldest_at FROM (
  SELECT accepted_at FROM submission WHERE account_id = $1 AND state = 0 AND input = 'delta' ORDER BY seq LIMIT $2
) AS waiting
