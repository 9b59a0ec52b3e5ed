-- A subject from which the link to a forgotten address goes. `> 9` is what makes SQLite use the index.
SELECT subject_id FROM identifier WHERE account_id = $1 AND tag = $2 AND role > 8 AND role = 14
ORDER BY subject_id LIMIT 1
