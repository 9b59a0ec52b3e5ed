-- A new secret of an account, as its keyed hash, and the sealed key of its tokens.
INSERT INTO secret (account_id, n, hash, token_key, created_at) VALUES ($1, $2, $3, $4, $5)
