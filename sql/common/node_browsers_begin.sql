-- From the first start on it is noted when somebody is logged in in a browser.
UPDATE node SET browsers_since = $1 WHERE id = 1 AND browsers_since IS NULL
