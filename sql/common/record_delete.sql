-- Removes all records of a subject.
DELETE FROM record WHERE subject_id = $1
