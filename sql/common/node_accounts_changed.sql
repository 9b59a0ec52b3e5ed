-- An account or a secret was changed: what nodes remember of keys is old.
UPDATE node SET accounts_changed = accounts_changed + 1 WHERE id = 1
