-- Removes some records of a subject.
DELETE FROM record WHERE subject_id = $1 AND (kind, n) IN (
  SELECT kind, n FROM record WHERE subject_id = $1 ORDER BY kind, n LIMIT $2)
