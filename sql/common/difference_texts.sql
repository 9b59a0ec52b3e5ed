-- Ids of items that differences name, of all accounts, behind a place.
SELECT account_id, seq, section, kind, n, item FROM difference_example
WHERE (account_id, seq, section, kind, n) > ($1, $2, $3, $4, $5)
ORDER BY account_id, seq, section, kind, n LIMIT $6
