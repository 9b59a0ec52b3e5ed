-- Changes of a section up to a place are no longer all there.
UPDATE base SET swept_seq = $3 WHERE account_id = $1 AND section = $2
