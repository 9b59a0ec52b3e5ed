-- The door that was shut for the number of a browser because somebody forgotten was logged in there opens again. One that an
-- erasure shut stays.
DELETE FROM suppression WHERE account_id = $1 AND tag = $2 AND kind = 9 AND lifted_seq IS NULL
