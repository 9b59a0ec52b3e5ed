-- A submission, accepted and waiting. A feed that arrives in pieces has no place among feeds until it is whole.
INSERT INTO submission
  (account_id, seq, token, kind, state, accepted_at, slot, payload, source, upload, ready_seq, spool, digest)
VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9, $10, $11, $12)
