-- A new subject: a random id and its key slot.
INSERT INTO subject (account_id, id, slot, created_at) VALUES ($1, $2, $3, $4)
