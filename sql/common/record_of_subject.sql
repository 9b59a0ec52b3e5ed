-- All records of a subject.
SELECT kind, n, seq, sealed FROM record WHERE subject_id = $1 ORDER BY kind, n
