-- A page of a submission's row issues, of one section, code or severity where one is given.
SELECT code, severity, section, row_number, byte_offset, line_number, field, n, meant FROM row_issue
WHERE account_id = $1 AND seq = $2 AND n >= $3
  AND section = coalesce($4, section) AND code = coalesce($5, code) AND severity = coalesce($6, severity)
ORDER BY n LIMIT $7
