-- This database belongs to this set of keys from now on.
UPDATE node SET key_set = $1 WHERE id = 1 AND key_set IS NULL
