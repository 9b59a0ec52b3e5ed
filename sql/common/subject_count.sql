-- Subjects of an account that are not being forgotten, and how many rows about forgotten people were dropped.
SELECT (SELECT count(*) FROM subject WHERE account_id = $1 AND forgotten_seq IS NULL) AS counted,
  (SELECT kept_out FROM account WHERE id = $1) AS kept_out
