-- Another text for a row that a delta put.
UPDATE change SET body = $4 WHERE account_id = $1 AND seq = $2 AND n = $3
