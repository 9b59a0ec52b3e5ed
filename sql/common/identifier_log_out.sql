-- Nobody is logged in any more in the browser with this number. `> 8` is what makes SQLite use the index.
DELETE FROM identifier WHERE account_id = $1 AND tag = $2 AND role > 8 AND role = 15
