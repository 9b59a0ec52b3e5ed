-- How many identifiers of an account are suppressed; they only become more.
SELECT suppressed FROM account WHERE id = $1
