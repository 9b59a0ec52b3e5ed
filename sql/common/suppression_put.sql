-- An identifier that is never stored again, as its keyed hash.
INSERT INTO suppression (account_id, tag, kind, version, seq, created_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account_id, tag) DO NOTHING
