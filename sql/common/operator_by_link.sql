-- The operator whose link this is.
SELECT id FROM operator WHERE link = $1
