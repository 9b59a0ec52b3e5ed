-- One subject.
SELECT slot, forgotten_seq, created_at FROM subject WHERE account_id = $1 AND id = $2
