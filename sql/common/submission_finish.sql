-- Ends a submission. Recorded once: an ended one is left alone, and a published one ends as it was published.
UPDATE submission SET state = coalesce(published_as, $3), finished_at = $5,
  reason = CASE WHEN published_as IS NULL THEN $4 ELSE reason END
WHERE account_id = $1 AND seq = $2 AND state = 0
