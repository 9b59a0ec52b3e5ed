-- People of all accounts behind one of them, in the order of their ids.
SELECT id, account_id, slot FROM subject WHERE id > $1 ORDER BY id LIMIT $2
