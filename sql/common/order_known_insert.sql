-- An order is stored; sent again by another submission it is dropped. With it the address that it came with, of a user id
-- that has none in a profile.
INSERT INTO order_known (account_id, tag, subject_id, n, seq, ordered_at, email) VALUES ($1, $2, $3, $4, $5, $6, $7)
