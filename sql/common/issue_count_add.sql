-- One more thing wrong that was found while a delta was applied, and its row among the first.
INSERT INTO issue_count (account_id, seq, section, code, severity, found, first_rows)
VALUES ($1, $2, $3, $4, $5, 1, $6)
ON CONFLICT (account_id, seq, section, code) DO UPDATE SET found = issue_count.found + 1,
  first_rows = CASE WHEN issue_count.found < $7 THEN issue_count.first_rows || ' ' || excluded.first_rows
    ELSE issue_count.first_rows END
