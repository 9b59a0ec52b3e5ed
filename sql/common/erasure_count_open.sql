-- Erasures that are not done yet.
SELECT count(*) FROM erasure WHERE done_at IS NULL
