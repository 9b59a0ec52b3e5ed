-- A sealed record of a subject that is not kept for ever.
INSERT INTO record (account_id, subject_id, kind, n, seq, sealed, until) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (account_id, subject_id, kind, n) DO NOTHING
