-- How often one thing was wrong in one section, and in which rows first.
INSERT INTO issue_count (account_id, seq, section, code, severity, found, first_rows)
VALUES ($1, $2, $3, $4, $5, $6, $7)
