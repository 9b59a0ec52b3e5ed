-- The place of the submission that brought a record.
SELECT seq FROM record WHERE subject_id = $1 AND kind = $2 AND n = $3
