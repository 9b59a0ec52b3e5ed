-- What a submission waits with until it ends.
INSERT INTO payload (account_id, seq, slot, may_hold_people, body) VALUES ($1, $2, $3, $4, $5)
