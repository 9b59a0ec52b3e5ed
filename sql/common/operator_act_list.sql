-- What operators did before a time, newest first.
SELECT at, id, operator_id, act, shop_id, about FROM operator_act WHERE at < $1 ORDER BY at DESC, id LIMIT $2
