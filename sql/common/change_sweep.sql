-- Changes to an item up to the cut of its section.
DELETE FROM change WHERE account_id = $1 AND section = $2 AND item = $3 AND seq <= $4
