-- Feeds accepted before a place that are still open.
SELECT count(*) AS counted FROM submission
WHERE account_id = $1 AND input IN ('url', 'upload', 'republish') AND state = 0 AND seq < $2
