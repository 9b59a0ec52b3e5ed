-- So much will be removed from a place, unless that was counted before.
INSERT INTO erasure_place (account_id, seq, place, removed) VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, seq, place) DO NOTHING
