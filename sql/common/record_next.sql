-- The number of a subject's next record of one kind.
SELECT COALESCE(MAX(n) + 1, 0) FROM record WHERE subject_id = $1 AND kind = $2
