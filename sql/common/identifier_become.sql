-- An identifier leads to a subject in another role.
UPDATE identifier SET role = $1 WHERE account_id = $2 AND tag = $3 AND subject_id = $4
