-- Whether the last row of a delta is shown that has not ended.
SELECT seq FROM submission WHERE account_id = $1 AND input = 'delta' AND state = 0 AND published_as IS NOT NULL LIMIT 1
