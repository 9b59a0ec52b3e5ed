-- Removes a submission's row issues before it is checked again, or with it.
DELETE FROM row_issue WHERE account_id = $1 AND seq = $2
