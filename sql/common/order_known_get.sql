-- Where an order is stored, by the keyed hash of its id.
SELECT subject_id, n, seq, email, event_n, is_noted FROM order_known WHERE account_id = $1 AND tag = $2
