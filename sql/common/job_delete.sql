-- The job is done and nothing new has come for it.
DELETE FROM job WHERE key = $1 AND lease = $2 AND wake = $3
