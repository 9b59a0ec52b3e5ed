-- A delta removed this user while an older feed was still open, which may bring them.
INSERT INTO user_removal (account_id, tag, seq) VALUES ($1, $2, $3)
ON CONFLICT (account_id, tag) DO UPDATE SET seq = excluded.seq
