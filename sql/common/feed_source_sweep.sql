-- Forgets URLs on whose feed no section stands any more.
DELETE FROM feed_source
WHERE account_id = $1 AND seq NOT IN (SELECT base.cut_seq FROM base WHERE base.account_id = $1)
