-- A message was delivered to the address that was set then.
UPDATE webhook SET delivered_at = $3, fails = 0, rest_until = $3 WHERE account_id = $1 AND set_at = $2
