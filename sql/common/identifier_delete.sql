-- Nothing leads to the subject any more.
DELETE FROM identifier WHERE account_id = $1 AND subject_id = $2
