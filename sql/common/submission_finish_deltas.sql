-- Ends the deltas of an account, from one of them to another, whose last row is shown.
UPDATE submission SET state = published_as, finished_at = $2
WHERE account_id = $1 AND input = 'delta' AND seq BETWEEN $3 AND $4 AND state = 0 AND published_as IS NOT NULL
