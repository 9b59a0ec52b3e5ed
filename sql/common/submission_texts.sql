-- Servers that feeds come from, of all accounts, behind a place.
SELECT account_id, seq, 0 AS n, '' AS word, host AS cell FROM submission
WHERE account_id >= $1 AND (account_id, seq, 0, '') > ($1, $2, $3, $4) AND host IS NOT NULL
ORDER BY account_id, seq LIMIT $5
