-- A guest became a user: nothing that leads to them is a guest's any more.
UPDATE identifier SET standing = 0 WHERE subject_id = $1 AND standing = 1
