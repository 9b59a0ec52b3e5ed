-- Fields of which rows are at fault, of all accounts, behind a place.
SELECT account_id, seq, n, '' AS word, field AS cell FROM row_issue
WHERE account_id >= $1 AND (account_id, seq, n, '') > ($1, $2, $3, $4) AND field IS NOT NULL
ORDER BY account_id, seq, n LIMIT $5
