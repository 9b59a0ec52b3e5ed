-- The newest record of a subject of one kind.
SELECT n, sealed FROM record WHERE account_id = $1 AND subject_id = $2 AND kind = $3 ORDER BY n DESC LIMIT 1
