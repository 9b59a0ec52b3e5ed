-- Counts messages that were given up, or left out because too many waited.
UPDATE webhook SET given_up = given_up + $2, left_out = left_out + $3 WHERE account_id = $1
