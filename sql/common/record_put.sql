-- A sealed record of a subject, in place of the one that was there.
INSERT INTO record (account_id, subject_id, kind, n, seq, sealed) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account_id, subject_id, kind, n) DO UPDATE SET seq = excluded.seq, sealed = excluded.sealed
