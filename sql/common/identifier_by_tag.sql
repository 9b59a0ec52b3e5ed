-- The first subjects an identifier leads to: one for a user id, perhaps several for an email.
SELECT identifier.subject_id, subject.slot, subject.forgotten_seq
FROM identifier JOIN subject ON subject.id = identifier.subject_id
WHERE identifier.account_id = $1 AND identifier.tag = $2 ORDER BY identifier.subject_id LIMIT $3
