-- The format as which a feed was read.
UPDATE submission SET read_as = $3 WHERE account_id = $1 AND (seq = $2 OR leader_seq = $2)
