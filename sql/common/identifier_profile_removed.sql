-- The profile was removed: its address is this subject's until the profile of another user id has it.
UPDATE identifier SET role = 9 WHERE subject_id = $1 AND role = 4
