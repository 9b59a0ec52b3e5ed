-- Feeds accepted before a place that are still open.
SELECT count(*) FROM submission WHERE account_id = $1 AND kind = 'feed' AND state = 0 AND seq < $2
