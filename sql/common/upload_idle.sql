-- Open uploads that nothing was added to since a time; of one account, or of all, and begun before a place.
SELECT account_id, seq FROM upload
WHERE touched_at < $1 AND account_id = COALESCE($2, account_id) AND seq < $4 AND name IS NOT NULL
ORDER BY account_id, seq LIMIT $3
