-- The key folder has come to an epoch.
UPDATE node SET key_epoch = $1 WHERE id = 1 AND key_epoch < $1
