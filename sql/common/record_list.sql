-- A subject's sealed records of one kind, in the order in which they were stored.
SELECT n, sealed FROM record WHERE subject_id = $1 AND kind = $2 ORDER BY n
