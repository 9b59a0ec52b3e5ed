-- Whether somebody of the account goes without an erasure.
SELECT id FROM subject WHERE account_id = $1 AND forgotten_seq IN ($2, $3, $4) LIMIT 1
