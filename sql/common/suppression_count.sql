-- How many identifiers of an account are suppressed.
SELECT count(*) FROM suppression WHERE account_id = $1
