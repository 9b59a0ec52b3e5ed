-- The key of somebody who withdrew their consent is destroyed; the rows go.
UPDATE subject SET forgotten_seq = $3 WHERE account_id = $1 AND id = $2
