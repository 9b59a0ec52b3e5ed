-- An identifier leads to a subject no more.
DELETE FROM identifier WHERE account_id = $1 AND tag = $2 AND subject_id = $3
