-- The number of a submission's last row issue; they are numbered from 0 without gaps.
SELECT n FROM row_issue WHERE account_id = $1 AND seq = $2 ORDER BY n DESC LIMIT 1
