-- The profile of another user id has an address now: whose it was before it leads to no more. `> 8` is what makes SQLite use
-- the index.
DELETE FROM identifier WHERE account_id = $1 AND tag = $2 AND role > 8 AND role IN (9, 12) AND subject_id <> $3
