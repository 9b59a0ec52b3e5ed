-- The first items that a feed changes.
SELECT section, kind, item, before, after FROM difference_example
WHERE account_id = $1 AND seq = $2 ORDER BY section, kind, n
