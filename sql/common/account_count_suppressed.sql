-- One more identifier is suppressed.
UPDATE account SET suppressed = account.suppressed + 1 WHERE id = $1
