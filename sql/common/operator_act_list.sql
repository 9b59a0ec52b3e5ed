-- What operators did before a line, newest first.
SELECT at, id, operator_id, act, shop_id, about FROM operator_act WHERE at < $1 OR (at = $1 AND id > $2)
ORDER BY at DESC, id LIMIT $3
