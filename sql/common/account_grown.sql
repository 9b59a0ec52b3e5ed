-- An account holds more than the default and keeps its size as its limit.
UPDATE account SET grown_bytes = $2 WHERE id = $1
