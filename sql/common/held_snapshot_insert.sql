-- A snapshot that was checked and not published.
INSERT INTO held_snapshot (account_id, seq, section, blob, sku_blob, items, bytes) VALUES ($1, $2, $3, $4, $5, $6, $7)
