-- People of all accounts behind one of them, account by account, in the order of their ids.
SELECT account_id, id, slot FROM subject WHERE (account_id, id) > ($1, $2) ORDER BY account_id, id LIMIT $3
