-- Everything stored about the person is gone; the erasure's own payload goes too.
UPDATE erasure SET state = 'deleted', done_at = $3, slot = NULL, sealed = NULL WHERE account_id = $1 AND seq = $2
