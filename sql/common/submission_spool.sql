-- Notes the sealed file in which a running feed keeps rows about people, or that it is gone.
UPDATE submission SET spool = $3 WHERE account_id = $1 AND seq = $2
