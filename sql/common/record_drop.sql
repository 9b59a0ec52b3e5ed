-- Removes one record of a subject.
DELETE FROM record WHERE subject_id = $1 AND kind = $2 AND n = $3
