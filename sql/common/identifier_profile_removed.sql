-- The profile was removed, and no newer one stayed: its address is this subject's until the profile of another user id has it.
UPDATE identifier SET role = 9 WHERE account_id = $1 AND subject_id = $2 AND role = 4 AND NOT EXISTS (
  SELECT 1 FROM record WHERE record.account_id = $1 AND record.subject_id = $2 AND record.kind = 'profile')
