-- Some items with changes that a published feed replaced.
SELECT item FROM change WHERE account_id = $1 AND section = $2 AND seq <= $3 GROUP BY item ORDER BY item LIMIT $4
