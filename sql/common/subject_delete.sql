-- The last of a subject.
DELETE FROM subject WHERE account_id = $1 AND id = $2
