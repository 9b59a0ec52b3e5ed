-- Closes an account: its access key opens nothing from now on.
UPDATE account SET closed_at = $2 WHERE id = $1 AND closed_at IS NULL
