-- Leads an identifier to a subject, in a role.
INSERT INTO identifier (account_id, tag, subject_id, kind, sealed, role) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account_id, subject_id, tag) DO NOTHING
