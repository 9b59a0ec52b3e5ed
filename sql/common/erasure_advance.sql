-- The next durable state of an erasure; what it waited for and what failed is over.
UPDATE erasure SET state = $3, waits_for = NULL, fault = NULL WHERE account_id = $1 AND seq = $2
