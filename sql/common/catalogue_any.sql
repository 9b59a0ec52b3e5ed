-- Whether an account has anything of a catalogue, shown or held.
SELECT account_id FROM snapshot WHERE account_id = $1
UNION ALL SELECT account_id FROM held_snapshot WHERE account_id = $1
UNION ALL SELECT account_id FROM change WHERE account_id = $1 LIMIT 1
