-- Who runs on this database, and with which set of keys.
SELECT holder, beat, key_set FROM node WHERE id = 1
