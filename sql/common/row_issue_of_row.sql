-- What was wrong with one row of a submission.
SELECT code, severity, section, row_number, byte_offset, line_number, field, n, meant
FROM row_issue WHERE account_id = $1 AND seq = $2 AND section = $3 AND row_number = $4 ORDER BY n LIMIT 50
