-- An upload takes no further pieces; its name is free again.
UPDATE upload SET name = NULL WHERE account_id = $1 AND seq = $2
