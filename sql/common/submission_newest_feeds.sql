-- What became of an account's newest feed by URL and of its newest upload of each kind, newest first.
SELECT state, reason FROM submission WHERE account_id = $1 AND input <> 'delta' AND seq IN (
  SELECT max(seq) FROM submission WHERE account_id = $1 AND input <> 'delta' GROUP BY upload
) ORDER BY seq DESC
