-- When the newest backup was made.
UPDATE node SET backup_at = $1 WHERE id = 1
