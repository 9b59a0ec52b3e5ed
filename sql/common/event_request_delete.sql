-- Forgets that a request came.
DELETE FROM event_request WHERE account_id = $1 AND tag = $2
