-- How often accounts and their secrets were changed.
SELECT accounts_changed FROM node WHERE id = 1
