-- The largest part of its products that a feed may remove, in percent; null: the default.
UPDATE account SET removal_percent = $2 WHERE id = $1
