-- Leads an identifier to a subject: a user's (0), or a guest's (1), whom no user id leads to.
INSERT INTO identifier (account_id, tag, subject_id, kind, sealed, standing)
VALUES ($1, $2, $3, $4, $5,
  CASE WHEN EXISTS (SELECT 1 FROM identifier AS other WHERE other.subject_id = $3 AND other.kind = 2) THEN 0 ELSE 1 END)
ON CONFLICT (account_id, tag, subject_id) DO NOTHING
