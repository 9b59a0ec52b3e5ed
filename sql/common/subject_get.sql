-- One subject.
SELECT slot, forgotten_seq FROM subject WHERE account_id = $1 AND id = $2
