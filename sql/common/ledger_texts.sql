-- Entries of all ledgers as they stand in the database, behind a place.
SELECT account_id, n AS seq, 0 AS n, '' AS word, entry AS cell FROM ledger
WHERE account_id >= $1 AND (account_id, n, 0, '') > ($1, $2, $3, $4) ORDER BY ledger.account_id, ledger.n LIMIT $5
