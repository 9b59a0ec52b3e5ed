-- Changes to an item up to a place: a newer whole replacement made them unreachable.
DELETE FROM change WHERE account_id = $1 AND section = $2 AND item = $3 AND seq <= $4
