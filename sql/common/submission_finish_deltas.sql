-- Ends the deltas of an account whose last row is shown.
UPDATE submission SET state = published_as, finished_at = $2
WHERE account_id = $1 AND input = 'delta' AND state = 0 AND published_as IS NOT NULL
