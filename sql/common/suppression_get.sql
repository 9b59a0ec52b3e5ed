-- Whether an identifier is suppressed.
SELECT seq FROM suppression WHERE account_id = $1 AND tag = $2
