-- Entries of an account's ledger in order, from one number until before another.
SELECT entry FROM ledger WHERE account_id = $1 AND n >= $2 AND n < $3 ORDER BY n
