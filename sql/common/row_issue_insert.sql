-- One thing wrong with one row.
INSERT INTO row_issue (account_id, seq, n, code, severity, section, row_number, byte_offset, field, meant,
  line_number)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
