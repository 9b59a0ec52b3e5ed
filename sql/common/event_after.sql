-- Events of an account behind a place, in the order of acceptance, each with its subject and where its key is. Of who goes
-- without an erasure there are none.
SELECT record.n, record.subject_id, record.sealed, record.until, subject.slot
FROM record JOIN subject ON subject.account_id = record.account_id AND subject.id = record.subject_id
WHERE record.account_id = $1 AND record.kind = 'event' AND record.n > $2
  AND (subject.forgotten_seq IS NULL OR subject.forgotten_seq > 0) ORDER BY record.n LIMIT $3
