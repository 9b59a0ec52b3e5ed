-- Ends a submission; its payload goes. Recorded once: an ended one is left alone.
UPDATE submission SET state = $3, reason = $4, finished_at = $5, payload = NULL, slot = NULL, spool = NULL
WHERE account_id = $1 AND seq = $2 AND state = 0
