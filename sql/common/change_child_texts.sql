-- Variants that deltas name, of all accounts, behind a place.
SELECT account_id, seq, n, child AS word, '' AS cell FROM change_child
WHERE account_id >= $1 AND (account_id, seq, n, child) > ($1, $2, $3, $4) ORDER BY account_id, seq, n, child LIMIT $5
