-- How many identifiers an erasure keeps shut.
SELECT count(*) FROM suppression WHERE account_id = $1 AND seq = $2
