-- The last row of a submission is shown, and this is how it will end. An open one: not as `state = 0`, since PostgreSQL
-- would go through all open ones for many at once, instead of taking their keys.
UPDATE submission SET published_as = $3, reason = $4
WHERE account_id = $1 AND seq = $2 AND state < 1
