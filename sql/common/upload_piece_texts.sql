-- Files of pieces of uploads, of all accounts, behind a place.
SELECT account_id, seq, n, '' AS word, blob AS cell FROM upload_piece
WHERE account_id >= $1 AND (account_id, seq, n, '') > ($1, $2, $3, $4) ORDER BY account_id, seq, n LIMIT $5
