-- Whether an account is told anything.
SELECT set_at FROM webhook WHERE account_id = $1 AND off_reason IS NULL
