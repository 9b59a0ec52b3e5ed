-- A list of a kind that acts from now on.
INSERT INTO shop_list (account_id, kind, version, made_at, restored, entry_count, entries)
VALUES ($1, $2, $3, $4, $5, $6, $7)
