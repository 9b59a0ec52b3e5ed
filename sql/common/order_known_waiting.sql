-- Orders of an account that were not looked at since they came or grew, behind a place in the order of their keyed hashes.
SELECT tag, subject_id, n FROM order_known WHERE account_id = $1 AND is_noted = 0 AND tag > $2 ORDER BY tag LIMIT $3
