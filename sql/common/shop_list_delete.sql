-- Lists of a kind that are too old to be brought back.
DELETE FROM shop_list WHERE account_id = $1 AND kind = $2 AND version <= $3
