-- Erasures of one account that are not verified yet: how many, how many are past their date, how many failed when they were
-- tried last, and when the oldest was asked for.
SELECT count(*) AS counted, count(CASE WHEN due_at < $2 THEN 1 END) AS overdue, count(fault) AS failing,
  min(asked_at) AS oldest_at
FROM erasure WHERE account_id = $1 AND verified_at IS NULL
