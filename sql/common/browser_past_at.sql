-- The log-in of a browser that lasts, and one that has ended and in which a time lies.
SELECT since, until FROM browser_past
WHERE account_id = $1 AND tag = $2 AND (until IS NULL OR since <= $3 AND until > $3) ORDER BY since DESC LIMIT 2
