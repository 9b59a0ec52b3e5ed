-- The next durable state of an erasure.
UPDATE erasure SET state = $3, shredded_at = coalesce(erasure.shredded_at, $4) WHERE account_id = $1 AND seq = $2
