-- A piece of an upload.
INSERT INTO upload_piece (account_id, seq, n, blob, bytes) VALUES ($1, $2, $3, $4, $5)
