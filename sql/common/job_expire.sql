-- Takes the lease from a holder whose beat stood still.
UPDATE job SET holder = NULL, reading_ms = 0 WHERE key = $1 AND lease = $2 AND beat = $3
