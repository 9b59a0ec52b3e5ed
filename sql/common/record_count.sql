-- How many records a subject has.
SELECT count(*) AS counted FROM record WHERE account_id = $1 AND subject_id = $2
