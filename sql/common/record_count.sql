-- How many records a subject has.
SELECT count(*) FROM record WHERE subject_id = $1
