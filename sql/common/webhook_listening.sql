-- The accounts that are told what goes on, and up to where each was.
SELECT account_id, due_told, due_told_seq, backup_told, quota_told FROM webhook WHERE off_reason IS NULL ORDER BY account_id
