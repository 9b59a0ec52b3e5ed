-- Whose an identifier was before. `> 9` is what makes SQLite use the index.
SELECT subject_id FROM identifier WHERE account_id = $1 AND tag = $2 AND role > 9 AND role = 12
