-- This node stops.
UPDATE node SET holder = NULL WHERE id = 1 AND holder = $1
