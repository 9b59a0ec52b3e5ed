-- Removes an ended submission.
DELETE FROM submission WHERE account_id = $1 AND seq = $2 AND state <> 0
