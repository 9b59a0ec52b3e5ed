-- Whether an identifier leads to a subject that is being forgotten. `<> 0` is what makes SQLite use the
-- index.
SELECT account_id FROM identifier WHERE account_id = $1 AND tag = $2 AND standing <> 0 AND standing = 2 LIMIT 1
