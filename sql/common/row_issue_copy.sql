-- The row issues of an unchanged feed are those of the time before.
INSERT INTO row_issue (account_id, seq, n, code, severity, section, row_number, byte_offset, field, meant,
  line_number)
SELECT account_id, CAST($1 AS BIGINT), n, code, severity, section, row_number, byte_offset, field, meant, line_number
FROM row_issue AS earlier WHERE earlier.account_id = $2 AND earlier.seq = $3
