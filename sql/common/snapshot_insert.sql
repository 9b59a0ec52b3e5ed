-- A new snapshot of one section, with the number of its feed.
INSERT INTO snapshot (account_id, section, seq, ready_seq, blob, sku_blob, items, bytes, published_at, kind_number)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,
  (SELECT kind_number FROM submission WHERE submission.account_id = $1 AND submission.seq = $3))
