-- Lets nobody else try a message of an account for a while.
UPDATE webhook SET rest_until = $2 WHERE account_id = $1 AND off_reason IS NULL AND (rest_until <= $3 OR rest_until > $4)
