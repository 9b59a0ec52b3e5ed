-- Takes back a job that nobody works on.
DELETE FROM job WHERE key = $1 AND holder IS NULL
