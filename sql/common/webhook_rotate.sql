-- Another secret of a webhook; the one before counts for a while.
UPDATE webhook SET old_secret = secret, old_until = $3, secret = $2 WHERE account_id = $1
