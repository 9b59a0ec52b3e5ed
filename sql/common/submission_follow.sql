-- A submission and its followers end as a later one will.
UPDATE submission SET leader_seq = $3
WHERE account_id = $1 AND (seq = $2 OR leader_seq = $2) AND state = 0
