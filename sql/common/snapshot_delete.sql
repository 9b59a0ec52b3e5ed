-- Forgets a snapshot; its file is removed by the sweep.
DELETE FROM snapshot WHERE account_id = $1 AND section = $2 AND seq = $3
