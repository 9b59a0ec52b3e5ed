-- From here on nothing is stored for this subject.
UPDATE subject SET forgotten_seq = $3 WHERE account_id = $1 AND id = $2 AND forgotten_seq IS NULL
