-- A sealed record of a subject, in place of the one that was there.
INSERT INTO record (subject_id, kind, n, seq, sealed) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (subject_id, kind, n) DO UPDATE SET seq = excluded.seq, sealed = excluded.sealed
