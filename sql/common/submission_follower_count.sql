-- How many submissions end as another one does.
SELECT count(*) AS counted FROM submission WHERE account_id = $1 AND leader_seq = $2
