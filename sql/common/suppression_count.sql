-- How many identifiers of an account are suppressed; they only become more.
SELECT count(*) FROM suppression WHERE account_id = $1
