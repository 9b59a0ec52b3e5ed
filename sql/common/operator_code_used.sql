-- A code of an operator was used: it counts no more, nor one before it. Their sessions go on.
UPDATE operator SET code_step = $2 WHERE id = $1 AND (code_step IS NULL OR code_step < $2)
