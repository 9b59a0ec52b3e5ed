-- What became of an account's newest feed.
SELECT state, reason FROM submission WHERE account_id = $1 AND kind = 'feed' ORDER BY seq DESC LIMIT 1
