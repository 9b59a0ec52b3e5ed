-- Some of those who withdrew their consent, of all accounts, whose keys are there.
SELECT account_id, id, slot FROM subject WHERE forgotten_seq = $1 LIMIT $2
