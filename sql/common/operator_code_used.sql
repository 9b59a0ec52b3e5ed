-- A code of an operator is used, unless it was, or one behind it: then no row changes. Their sessions go on.
UPDATE operator SET code_step = $2 WHERE id = $1 AND (code_step IS NULL OR code_step < $2)
