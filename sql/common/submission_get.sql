-- One submission as its job needs it.
SELECT seq, kind_number, token, state, reason, accepted_at, finished_at, ready_seq, digest, leader_seq, published_as,
  input, host, upload, manner, from_seq, from_section, format, read_as
FROM submission WHERE account_id = $1 AND seq = $2
