-- A profile says now whose the address of a user id is: what its orders came with is not kept, but of those that are being
-- forgotten.
UPDATE order_known SET email = NULL WHERE account_id = $1 AND subject_id = $2 AND email IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM identifier WHERE identifier.account_id = $1 AND identifier.subject_id = $2
    AND identifier.tag = order_known.email AND identifier.role = 14)
