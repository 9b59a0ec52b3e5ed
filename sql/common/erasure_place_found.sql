-- So much was found in a place when it was looked at again.
INSERT INTO erasure_place (account_id, seq, place, removed, found) VALUES ($1, $2, $3, 0, $4)
ON CONFLICT (account_id, seq, place) DO UPDATE SET found = excluded.found
