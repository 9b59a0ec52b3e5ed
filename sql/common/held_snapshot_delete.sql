-- What is held of a submission goes; the sweep removes its files.
DELETE FROM held_snapshot WHERE account_id = $1 AND seq = $2
