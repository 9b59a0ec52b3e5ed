-- A node starts with the key folder, which is so far.
UPDATE node SET key_epoch = $1, key_starts = $2 WHERE id = 1
