-- Since when it is noted who was logged in in a browser: a log-in of before has no row in browser_past.
ALTER TABLE node ADD COLUMN browsers_since INTEGER;
