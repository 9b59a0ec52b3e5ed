-- The subject of which this is all that is known, in this role. `> 9` is what makes SQLite use the index.
SELECT identifier.subject_id, subject.slot, subject.forgotten_seq, identifier.role
FROM identifier JOIN subject ON subject.account_id = identifier.account_id AND subject.id = identifier.subject_id
WHERE identifier.account_id = $1 AND identifier.tag = $2 AND identifier.role > 8 AND identifier.role = $3
  AND subject.forgotten_seq IS NULL
ORDER BY subject.created_at, identifier.subject_id LIMIT 1
