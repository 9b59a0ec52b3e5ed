-- What changed an item after the cut, newest first, with where it stood and how it was sent.
SELECT seq, n, op, row_number, body, raw FROM change
WHERE account_id = $1 AND section = $2 AND item = $3 AND seq > $4 ORDER BY seq DESC, n DESC LIMIT $5
