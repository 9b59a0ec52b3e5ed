-- The number of a subject's next record of one kind.
SELECT COALESCE(MAX(n) + 1, 0) FROM record WHERE account_id = $1 AND subject_id = $2 AND kind = $3
