-- What has come of an upload that is open.
SELECT bytes FROM upload WHERE account_id = $1 AND seq = $2 AND name IS NOT NULL
