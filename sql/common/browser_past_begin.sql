-- Somebody is logged in in a browser, or was until then.
INSERT INTO browser_past (account_id, tag, since, until, day) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id, tag, since) DO UPDATE SET until = excluded.until, day = excluded.day
