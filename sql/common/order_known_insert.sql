-- An order is stored; sent again by another submission it is dropped.
INSERT INTO order_known (account_id, tag, subject_id, n, seq, ordered_at) VALUES ($1, $2, $3, $4, $5, $6)
