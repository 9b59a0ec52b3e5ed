-- Ends the submissions that follow another one, those accepted up to a time. The sign keeps the index of all open ones
-- out.
UPDATE submission SET state = $3, reason = $4, finished_at = $5
WHERE account_id = $1 AND leader_seq = $2 AND +state = 0 AND accepted_at <= $6
