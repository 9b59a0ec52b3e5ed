-- A door that is shut already belongs to a later erasure.
UPDATE suppression SET seq = $3 WHERE account_id = $1 AND tag = $2 AND lifted_seq IS NULL
