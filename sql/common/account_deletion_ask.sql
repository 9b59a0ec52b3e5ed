-- A shop asks for the deletion of its account; asking again while it waits changes nothing.
INSERT INTO account_deletion (account_id, state, asked_at) VALUES ($1, 'asked', $2)
ON CONFLICT (account_id) DO UPDATE SET state = excluded.state, asked_at = excluded.asked_at, decided_at = NULL
WHERE account_deletion.state = 'dismissed'
