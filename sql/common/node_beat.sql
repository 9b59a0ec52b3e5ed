-- This node lives.
UPDATE node SET beat = node.beat + 1 WHERE id = 1 AND holder = $1
