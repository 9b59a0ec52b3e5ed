-- The subjects of which an email is all that is known, those being forgotten left out.
SELECT identifier.subject_id, subject.slot
FROM identifier JOIN subject ON subject.id = identifier.subject_id
WHERE identifier.account_id = $1 AND identifier.tag = $2 AND subject.forgotten_seq IS NULL
  AND NOT EXISTS (
    SELECT 1 FROM identifier AS other WHERE other.subject_id = identifier.subject_id AND other.kind = 2)
ORDER BY subject.created_at, identifier.subject_id
