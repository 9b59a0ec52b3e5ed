-- At start: no other process can hold a lease.
UPDATE job SET holder = NULL, reading_ms = 0 WHERE holder IS NOT NULL
