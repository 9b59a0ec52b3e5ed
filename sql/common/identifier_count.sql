-- How many identifiers lead to a subject.
SELECT count(*) AS counted FROM identifier WHERE account_id = $1 AND subject_id = $2
