-- A try failed at the address that was set then.
UPDATE webhook SET failed_at = $3, failure = $4, fails = fails + 1, rest_until = $5 WHERE account_id = $1 AND set_at = $2
