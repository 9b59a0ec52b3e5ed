-- An upload has ended, and with it what its pieces took.
DELETE FROM upload WHERE account_id = $1 AND seq = $2
