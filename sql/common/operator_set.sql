-- What an operator is now; every session of theirs ends.
UPDATE operator SET role = $2, password = $3, link = $4, link_until = $5, disabled_at = $6, code_secret = $7, code_step = $8,
  version = version + 1
WHERE id = $1
