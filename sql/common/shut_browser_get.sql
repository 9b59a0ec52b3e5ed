-- Whether somebody who was forgotten is logged in in this browser.
SELECT tag FROM shut_browser WHERE account_id = $1 AND tag = $2
