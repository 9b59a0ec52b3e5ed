-- An upload is whole: its place among feeds is that of its end.
UPDATE submission SET ready_seq = $3 WHERE account_id = $1 AND seq = $2 AND state = 0
