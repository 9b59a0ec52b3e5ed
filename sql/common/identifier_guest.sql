-- The subjects of which an email is all that is known, those being forgotten left out. `<> 0` is what makes SQLite use the
-- index.
SELECT identifier.subject_id, subject.slot
FROM identifier JOIN subject ON subject.id = identifier.subject_id
WHERE identifier.account_id = $1 AND identifier.tag = $2 AND identifier.standing <> 0 AND identifier.standing = 1
ORDER BY subject.created_at, identifier.subject_id
