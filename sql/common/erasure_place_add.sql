-- So much more was removed from a place.
INSERT INTO erasure_place (account_id, seq, place, removed) VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, seq, place) DO UPDATE SET removed = erasure_place.removed + excluded.removed
