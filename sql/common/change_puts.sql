-- Rows that deltas put, in pages.
SELECT seq, n, body FROM change
WHERE account_id = $1 AND (seq > $2 OR (seq = $2 AND n > $3)) AND op = 'put' ORDER BY seq, n LIMIT $4
