-- The last of a subject.
DELETE FROM subject WHERE id = $1
