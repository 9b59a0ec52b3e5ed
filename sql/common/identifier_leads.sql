-- Whether an identifier leads to a subject.
SELECT account_id FROM identifier WHERE account_id = $1 AND tag = $2 AND subject_id = $3
