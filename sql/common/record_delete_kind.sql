-- Removes a subject's records of one kind that are not newer than a submission.
DELETE FROM record WHERE account_id = $1 AND subject_id = $2 AND kind = $3 AND seq <= $4
