-- How much of the disk an account may hold, in bytes; null: the default, -1: no limit. It keeps no earlier size.
UPDATE account SET quota_bytes = $2, grown_bytes = NULL WHERE id = $1
