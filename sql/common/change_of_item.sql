-- What changed an item after the cut, oldest first.
SELECT seq, n, op, body FROM change
WHERE account_id = $1 AND section = $2 AND item = $3 AND seq > $4 ORDER BY seq, n
