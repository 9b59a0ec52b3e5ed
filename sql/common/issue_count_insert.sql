-- How often one thing was wrong in one section.
INSERT INTO issue_count (account_id, seq, section, code, severity, found) VALUES ($1, $2, $3, $4, $5, $6)
