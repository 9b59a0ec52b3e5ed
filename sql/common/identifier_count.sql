-- How many identifiers lead to a subject.
SELECT count(*) FROM identifier WHERE subject_id = $1
