-- Every held lease, for the one who watches whether its holder lives.
SELECT key, lease, beat FROM job WHERE holder IS NOT NULL ORDER BY key
