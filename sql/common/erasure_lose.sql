-- Whom the erasure is about nobody can read any more.
UPDATE erasure SET verified_at = $3, slot = NULL, sealed = NULL WHERE account_id = $1 AND seq = $2
