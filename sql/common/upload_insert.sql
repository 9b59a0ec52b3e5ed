-- An upload begins.
INSERT INTO upload (account_id, name, seq, pieces, bytes, touched_at) VALUES ($1, $2, $3, 0, 0, $4)
