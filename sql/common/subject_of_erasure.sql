-- The subjects an erasure is about.
SELECT id, slot FROM subject WHERE account_id = $1 AND forgotten_seq = $2 ORDER BY id
