-- The same snapshot in another file, unless it has another already.
UPDATE snapshot SET blob = $5, bytes = $6 WHERE account_id = $1 AND section = $2 AND seq = $3 AND blob = $4
