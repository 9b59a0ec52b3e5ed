-- A snapshot is shown again: it takes its place among feeds anew.
UPDATE snapshot SET ready_seq = $4 WHERE account_id = $1 AND section = $2 AND seq = $3
