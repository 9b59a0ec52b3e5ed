-- An account shows something else, and this is the last change that was applied.
INSERT INTO shown (account_id, pos, seq, n) VALUES ($1, 1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET pos = shown.pos + 1, seq = excluded.seq, n = excluded.n
