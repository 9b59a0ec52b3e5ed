-- How far these accounts have counted.
SELECT id, seq FROM account WHERE id = ANY($1)
