-- Since when it is noted when somebody is logged in in a browser.
SELECT browsers_since FROM node WHERE id = $1
