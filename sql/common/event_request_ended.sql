-- Some of the keys of requests, of all accounts, that are not remembered any longer.
SELECT account_id, tag FROM event_request WHERE day < $1 LIMIT $2
