-- The deltas of an account that wait, in their order.
SELECT seq, token, slot, payload FROM submission
WHERE account_id = $1 AND kind = 'delta' AND state = 0 ORDER BY seq LIMIT $2
