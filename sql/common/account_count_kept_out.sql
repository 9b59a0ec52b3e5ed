-- One more row about a forgotten person was dropped.
UPDATE account SET kept_out = account.kept_out + 1 WHERE id = $1
