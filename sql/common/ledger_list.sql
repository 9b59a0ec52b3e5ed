-- Entries in order, from one number until before another.
SELECT entry FROM ledger WHERE n >= $1 AND n < $2 ORDER BY n
