-- Entries of all ledgers as they stand in the database, behind a place.
SELECT account_id, n, '' AS word, entry AS cell FROM ledger
WHERE account_id >= $1 AND (account_id, n, '') > ($1, $2, $3) ORDER BY account_id, n LIMIT $4
