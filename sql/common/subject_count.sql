-- Subjects of an account that are not being forgotten.
SELECT count(*) FROM subject WHERE account_id = $1 AND forgotten_seq IS NULL
