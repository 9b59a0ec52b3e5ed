-- Another secret of a webhook. The one before counts for a while; while one before it does, that one, which is what the
-- receiver has.
UPDATE webhook SET old_secret = CASE WHEN old_until > $4 THEN old_secret ELSE secret END, old_until = $3, secret = $2
WHERE account_id = $1
