-- Somebody of any account whose rows go without an erasure. The index of those who are being forgotten is a short one.
SELECT account_id, id, slot, forgotten_seq FROM subject WHERE forgotten_seq IN ($1, $2) LIMIT 1
