-- Somebody is being forgotten: what leads to them says so.
UPDATE identifier SET standing = 2 WHERE subject_id = $1
