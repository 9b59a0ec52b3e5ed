-- A profile says now whose the address of a user id is: what only orders named leads there no more.
DELETE FROM identifier WHERE subject_id = $1 AND role = 13
