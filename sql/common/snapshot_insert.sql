-- A new snapshot of one section.
INSERT INTO snapshot (account_id, section, seq, ready_seq, blob, sku_blob, items, bytes, published_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
