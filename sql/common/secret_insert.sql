-- A new secret of an account, as its keyed hash.
INSERT INTO secret (account_id, n, hash, created_at) VALUES ($1, $2, $3, $4)
