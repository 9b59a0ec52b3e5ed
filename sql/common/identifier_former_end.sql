-- The profile of another user id has an address now: whose it was before it leads to no more. `> 9` is what makes SQLite use
-- the index.
DELETE FROM identifier WHERE account_id = $1 AND tag = $2 AND role > 9 AND role = 12 AND subject_id <> $3
