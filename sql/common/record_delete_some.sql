-- Removes some records of a subject.
DELETE FROM record WHERE account_id = $1 AND subject_id = $2 AND (kind, n) IN (
  SELECT kind, n FROM record WHERE account_id = $1 AND subject_id = $2 ORDER BY kind, n LIMIT $3)
