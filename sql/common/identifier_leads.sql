-- In which role an identifier leads to a subject.
SELECT role FROM identifier WHERE account_id = $1 AND tag = $2 AND subject_id = $3
