-- Who runs on this database.
SELECT holder, beat FROM node WHERE id = 1
