-- A submission, accepted and waiting.
INSERT INTO submission (account_id, seq, token, kind, state, accepted_at, slot, payload, source)
VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8)
