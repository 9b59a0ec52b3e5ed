-- How far the erasure of a public id is, and what it keeps until it is done.
SELECT account_id, seq, state, slot, sealed FROM erasure WHERE id = $1
