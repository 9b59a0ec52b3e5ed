-- Two open accounts, if there are so many.
SELECT id FROM account WHERE closed_at IS NULL ORDER BY id LIMIT 2
