-- Notes up to where an account was told what goes on.
UPDATE webhook SET due_told = $2, due_told_seq = $3, backup_told = $4, quota_told = $5 WHERE account_id = $1
