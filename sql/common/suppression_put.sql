-- An identifier that is never stored again, as its keyed hash. One who came back and is forgotten again is as new.
INSERT INTO suppression (account_id, tag, kind, version, seq, created_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account_id, tag) DO UPDATE
SET seq = excluded.seq, created_at = excluded.created_at, lifted_seq = NULL, lifted_at = NULL
WHERE suppression.lifted_seq IS NOT NULL
