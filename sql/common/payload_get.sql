-- What a submission waits with.
SELECT slot, body FROM payload WHERE account_id = $1 AND seq = $2
