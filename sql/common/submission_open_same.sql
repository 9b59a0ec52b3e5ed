-- Open submissions of the same content that follow no other, with the key slots of what they hold.
SELECT submission.seq, payload.slot
FROM submission LEFT JOIN payload ON payload.account_id = submission.account_id AND payload.seq = submission.seq
WHERE submission.account_id = $1 AND submission.digest = $2 AND submission.state = 0
  AND submission.leader_seq IS NULL AND submission.published_as IS NULL ORDER BY submission.seq
