-- Up to where an account was told what goes on.
SELECT due_told, due_told_seq, backup_told, quota_told FROM webhook WHERE account_id = $1 AND off_reason IS NULL
