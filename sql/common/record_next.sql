-- The number of a subject's next record of one kind.
-- From the end of the index: a plan for MAX, made while the table was small, reads them all.
SELECT COALESCE(
  (SELECT n + 1 FROM record WHERE account_id = $1 AND subject_id = $2 AND kind = $3 ORDER BY n DESC LIMIT 1), 0) AS n
