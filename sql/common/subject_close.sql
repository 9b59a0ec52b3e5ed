-- From here on nothing is stored for this subject.
UPDATE subject SET forgotten_seq = $2 WHERE id = $1 AND forgotten_seq IS NULL
