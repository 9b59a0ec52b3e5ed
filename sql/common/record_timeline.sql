-- Events that are kept until a day of one of two spans, and orders, of an account behind a place: a subject after the other,
-- each with where its key is. Of who goes there are none.
SELECT record.subject_id, record.kind, record.n, record.sealed, subject.slot
FROM record JOIN subject ON subject.account_id = record.account_id AND subject.id = record.subject_id
WHERE record.account_id = $1 AND (record.subject_id, record.kind, record.n) > ($2, $3, $4) AND subject.forgotten_seq IS NULL
  AND (record.kind = 'order' OR record.kind = 'event'
    AND (record.until BETWEEN $5 AND $6 OR record.until BETWEEN $7 AND $8))
ORDER BY record.subject_id, record.kind, record.n LIMIT $9
