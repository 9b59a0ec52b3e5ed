-- The tokens of the submissions that follow another one and end with it, those accepted up to a time. The sign keeps the
-- index of all open ones out.
SELECT token FROM submission WHERE account_id = $1 AND leader_seq = $2 AND +state = 0 AND accepted_at <= $3 ORDER BY seq
