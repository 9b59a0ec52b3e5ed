-- An account's newest submissions, newest first.
SELECT seq, token, kind, state, reason, accepted_at, finished_at, CAST(NULL AS BIGINT) AS slot, CAST(NULL AS TEXT) AS payload, source, upload, ready_seq, digest, leader_seq
FROM submission WHERE account_id = $1 ORDER BY seq DESC LIMIT $2
