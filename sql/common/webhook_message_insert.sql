-- A message that waits.
INSERT INTO webhook_message (account_id, id, body, made_at, tries, next_at) VALUES ($1, $2, $3, $4, 0, $4)
