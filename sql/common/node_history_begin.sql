-- A restored store goes on from where it was, and not as it went on the first time.
UPDATE node SET history = $1 WHERE id = 1
