-- The deltas of an account that wait, in their order. One that is published waits with nothing, and is not applied again.
SELECT submission.seq, submission.token, payload.slot, payload.body
FROM submission JOIN payload ON payload.account_id = submission.account_id AND payload.seq = submission.seq
WHERE submission.account_id = $1 AND submission.input = 'delta' AND submission.state = 0
ORDER BY submission.seq LIMIT $2
