-- Removes one record of a subject.
DELETE FROM record WHERE account_id = $1 AND subject_id = $2 AND kind = $3 AND n = $4
