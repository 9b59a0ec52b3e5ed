-- Leaves out the oldest messages of an account beyond so many.
DELETE FROM webhook_message WHERE account_id = $1 AND id IN (
  SELECT id FROM webhook_message WHERE account_id = $1 ORDER BY made_at DESC, id LIMIT 1000000 OFFSET $2)
