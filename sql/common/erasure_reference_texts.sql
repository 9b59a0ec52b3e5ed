-- References of erasures of all accounts as they stand in the database, behind a place.
SELECT account_id, seq, 0 AS n, '' AS word, reference AS cell FROM erasure
WHERE account_id >= $1 AND (account_id, seq, 0, '') > ($1, $2, $3, $4) AND reference IS NOT NULL
ORDER BY account_id, seq LIMIT $5
