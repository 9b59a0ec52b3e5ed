-- Nobody who was forgotten is logged in any more in this browser.
DELETE FROM shut_browser WHERE account_id = $1 AND tag = $2
