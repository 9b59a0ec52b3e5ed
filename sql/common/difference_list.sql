-- What a feed changes, counted.
SELECT section, kind, found FROM difference WHERE account_id = $1 AND seq = $2 ORDER BY section, kind
