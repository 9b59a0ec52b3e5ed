-- An upload takes no further pieces; its name is free again.
DELETE FROM upload WHERE account_id = $1 AND seq = $2
