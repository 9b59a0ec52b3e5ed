-- At start: no other process can hold a lease.
UPDATE job SET holder = NULL WHERE holder IS NOT NULL
