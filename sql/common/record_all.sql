-- All sealed records of a subject behind a place, in order.
SELECT kind, n, seq, sealed FROM record WHERE account_id = $1 AND subject_id = $2 AND (kind, n) > ($3, $4)
ORDER BY kind, n LIMIT $5
