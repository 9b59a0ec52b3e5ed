-- Somebody who was forgotten is logged in in this browser.
INSERT INTO shut_browser (account_id, tag) VALUES ($1, $2) ON CONFLICT (account_id, tag) DO NOTHING
