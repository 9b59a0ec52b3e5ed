-- Nobody is logged in any more in a browser.
UPDATE browser_past SET until = $3, day = $4 WHERE account_id = $1 AND tag = $2 AND until IS NULL
