-- A page of the items that a delta touched after the cut, in the order of their ids.
SELECT item FROM change WHERE account_id = $1 AND section = $2 AND seq > $3 AND item > $4
GROUP BY item ORDER BY item LIMIT $5
