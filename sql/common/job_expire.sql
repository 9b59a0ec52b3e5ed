-- Takes the lease from a holder whose beat stood still.
UPDATE job SET holder = NULL, reading_ms = 0 WHERE account_id = $1 AND lane = $2 AND seq = $3 AND lease = $4 AND beat = $5
