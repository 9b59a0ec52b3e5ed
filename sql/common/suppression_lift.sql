-- The person came back: rows accepted behind this place are let in.
UPDATE suppression SET lifted_seq = $3, lifted_at = $4 WHERE account_id = $1 AND tag = $2 AND lifted_seq IS NULL
