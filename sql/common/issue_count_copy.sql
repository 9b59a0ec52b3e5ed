-- The counts of an unchanged feed are those of the time before.
INSERT INTO issue_count (account_id, seq, section, code, severity, found, first_rows)
SELECT account_id, CAST($1 AS BIGINT), section, code, severity, found, first_rows
FROM issue_count AS earlier WHERE earlier.account_id = $2 AND earlier.seq = $3
