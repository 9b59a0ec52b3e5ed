-- The highest account number given so far.
SELECT coalesce(max(id), 0) FROM account
