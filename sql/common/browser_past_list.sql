-- When somebody was logged in in a browser, the newest log-in first.
SELECT since, until FROM browser_past WHERE account_id = $1 AND tag = $2 ORDER BY since DESC LIMIT 100
