-- Takes the row of what belongs to no account. Behind those of accounts, as everywhere.
SELECT id FROM node WHERE id = 1 FOR NO KEY UPDATE
