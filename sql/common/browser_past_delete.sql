-- Forgets a log-in.
DELETE FROM browser_past WHERE account_id = $1 AND tag = $2 AND since = $3
