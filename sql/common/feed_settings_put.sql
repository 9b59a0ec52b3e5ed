-- How a shop's feeds are read from now on.
INSERT INTO feed_settings (account_id, format, mapping) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET format = excluded.format, mapping = excluded.mapping
