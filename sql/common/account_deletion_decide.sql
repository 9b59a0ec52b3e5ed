-- The operator decides on a deletion that was asked for.
UPDATE account_deletion SET state = $2, decided_at = $3 WHERE account_id = $1 AND state = 'asked'
