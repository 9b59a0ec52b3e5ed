-- When the newest backup was made.
SELECT backup_at FROM node WHERE id = 1
