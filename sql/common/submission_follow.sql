-- A submission and its followers end as a later one will; what the first held for its work goes.
UPDATE submission SET leader_seq = $3, payload = NULL, slot = NULL, spool = NULL
WHERE account_id = $1 AND (seq = $2 OR leader_seq = $2) AND state = 0
