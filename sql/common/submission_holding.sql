-- How many submissions accepted before an erasure still hold sealed rows that may be about people.
SELECT count(*) FROM submission
WHERE account_id = $1 AND state = 0 AND seq < $2
  AND ((kind = 'delta' AND slot IS NOT NULL) OR spool IS NOT NULL)
