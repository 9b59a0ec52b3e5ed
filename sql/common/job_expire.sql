-- Takes the lease from a holder whose beat stood still.
UPDATE job SET holder = NULL WHERE key = $1 AND lease = $2 AND beat = $3
