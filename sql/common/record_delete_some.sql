-- Removes some records of a subject, the first ones: up to a place, so that no plan compares all with all.
DELETE FROM record WHERE account_id = $1 AND subject_id = $2 AND (kind, n) <= (
  SELECT kind, n FROM (
    SELECT kind, n FROM record WHERE account_id = $1 AND subject_id = $2 ORDER BY kind, n LIMIT $3) AS these
  ORDER BY kind DESC, n DESC LIMIT 1)
