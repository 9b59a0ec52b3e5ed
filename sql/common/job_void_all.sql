-- At start: no other process can hold a lease, and a pause may have been reckoned by another clock.
UPDATE job SET holder = NULL, reading_ms = 0, run_at = 0
