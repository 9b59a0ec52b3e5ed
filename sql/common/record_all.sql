-- All sealed records of a subject behind a place, in order.
SELECT kind, n, seq, sealed FROM record WHERE subject_id = $1 AND (kind, n) > ($2, $3) ORDER BY kind, n LIMIT $4
