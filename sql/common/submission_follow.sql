-- A submission and its followers end as a later one will.
UPDATE submission SET leader_seq = $3
WHERE account_id = $1 AND state = 0 AND seq IN (
  SELECT seq FROM submission AS it WHERE it.account_id = $1 AND it.seq = $2
  UNION ALL SELECT seq FROM submission AS follower WHERE follower.account_id = $1 AND follower.leader_seq = $2)
