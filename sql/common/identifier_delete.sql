-- Nothing leads to the subject any more.
DELETE FROM identifier WHERE subject_id = $1
