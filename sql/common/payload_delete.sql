-- A submission has ended, or another one does its work.
DELETE FROM payload WHERE account_id = $1 AND seq = $2
