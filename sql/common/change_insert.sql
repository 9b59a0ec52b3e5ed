-- One ordered change to one item; a delta that is applied again after a crash finds its own.
INSERT INTO change (account_id, seq, n, section, item, sku, op, body, row_number, raw)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (account_id, seq, n) DO NOTHING
