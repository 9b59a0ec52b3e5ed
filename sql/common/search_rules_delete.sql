-- Lists of rules that are too old to be brought back.
DELETE FROM search_rules WHERE account_id = $1 AND version <= $2
