-- Open submissions of the same content that follow no other, with the key slots of what they hold.
SELECT seq, slot FROM submission
WHERE account_id = $1 AND digest = $2 AND state = 0 AND leader_seq IS NULL ORDER BY seq
