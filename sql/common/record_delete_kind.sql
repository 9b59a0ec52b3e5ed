-- Removes a subject's records of one kind that are not newer than a submission.
DELETE FROM record WHERE subject_id = $1 AND kind = $2 AND seq <= $3
