-- The counts of a feed's difference go, before it is compared again or with it.
DELETE FROM difference WHERE account_id = $1 AND seq = $2
