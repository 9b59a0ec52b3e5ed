-- Notes that a request with this key came; it changes no row when one came before.
INSERT INTO event_request (account_id, tag, day) VALUES ($1, $2, $3) ON CONFLICT (account_id, tag) DO NOTHING
