-- Ended submissions past their time.
SELECT account_id, seq FROM submission WHERE finished_at < $1 ORDER BY finished_at LIMIT $2
