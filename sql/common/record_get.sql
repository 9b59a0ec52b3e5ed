-- One sealed record of a subject.
SELECT sealed FROM record WHERE subject_id = $1 AND kind = $2 AND n = $3
