-- Removes the counts before a submission is checked again, or with it.
DELETE FROM issue_count WHERE account_id = $1 AND seq = $2
