-- The last row of a submission is shown, and this is how it will end.
UPDATE submission SET published_as = $3, reason = $4
WHERE account_id = $1 AND seq = $2 AND state = 0
