-- Every held lease, for the one who watches whether its holder lives.
SELECT account_id, lane, seq, lease, beat FROM job WHERE holder IS NOT NULL
