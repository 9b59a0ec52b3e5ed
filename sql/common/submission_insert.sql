-- A submission, accepted and waiting. A feed that arrives in pieces has no place among feeds until it is whole.
INSERT INTO submission (account_id, seq, token, state, accepted_at, ready_seq, digest,
  input, host, upload, manner, from_seq, from_section, kind_number, format)
VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
