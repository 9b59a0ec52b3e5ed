-- Leads an identifier to a subject.
INSERT INTO identifier (account_id, tag, subject_id, kind, sealed) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id, tag, subject_id) DO NOTHING
