-- Why an open submission will fail when its job runs.
UPDATE submission SET reason = $3 WHERE account_id = $1 AND seq = $2 AND state = 0
