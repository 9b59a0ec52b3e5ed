-- What was wrong with a submission, counted.
SELECT section, code, severity, found, first_rows FROM issue_count
WHERE account_id = $1 AND seq = $2 ORDER BY section, code
