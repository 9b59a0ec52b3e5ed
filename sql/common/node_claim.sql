-- This node runs now, unless the other one moved meanwhile.
UPDATE node SET holder = $1, beat = node.beat + 1 WHERE id = 1 AND beat = $2
