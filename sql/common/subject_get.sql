-- One subject.
SELECT slot, forgotten_seq FROM subject WHERE id = $1
