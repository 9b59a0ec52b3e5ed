-- What an erasure keeps shut.
SELECT tag, kind, version FROM suppression WHERE account_id = $1 AND seq = $2 ORDER BY tag
