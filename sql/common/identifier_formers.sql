-- Whose an identifier was before, also by a profile that was removed. `> 8` is what makes SQLite use the index.
SELECT subject_id FROM identifier WHERE account_id = $1 AND tag = $2 AND role > 8 AND role IN (9, 12)
