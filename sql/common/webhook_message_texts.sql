-- Messages that wait for a shop's server, of all accounts, behind a place.
SELECT account_id, 0 AS seq, 0 AS n, id AS word, body AS cell FROM webhook_message
WHERE account_id >= $1 AND (account_id, 0, 0, id) > ($1, $2, $3, $4) ORDER BY account_id, id LIMIT $5
