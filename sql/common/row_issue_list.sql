-- A page of a submission's row issues.
SELECT code, severity, section, row_number, byte_offset, field
FROM row_issue WHERE account_id = $1 AND seq = $2 AND n >= $3 ORDER BY n LIMIT $4
