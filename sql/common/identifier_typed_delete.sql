-- A profile says now whose the address of a user id is: what only orders named leads there no more.
DELETE FROM identifier WHERE account_id = $1 AND subject_id = $2 AND role = 13
