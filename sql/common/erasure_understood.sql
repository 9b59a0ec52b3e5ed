-- The last erasure that an identifier was asked for with, unless nobody can read any more whom it was about.
SELECT id FROM erasure WHERE account_id = $1 AND asked = $2 AND state <> 'lost' ORDER BY seq DESC LIMIT 1
