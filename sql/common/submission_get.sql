-- One submission as its job needs it.
SELECT seq, token, kind, state, reason, accepted_at, finished_at, slot, payload, source, upload, ready_seq, digest, leader_seq
FROM submission WHERE account_id = $1 AND seq = $2
