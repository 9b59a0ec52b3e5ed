-- Servers that feeds come from, of all accounts, behind a place.
SELECT account_id, seq AS n, '' AS word, host AS cell FROM submission
WHERE account_id >= $1 AND (account_id, seq, '') > ($1, $2, $3) AND host IS NOT NULL ORDER BY account_id, seq LIMIT $4
