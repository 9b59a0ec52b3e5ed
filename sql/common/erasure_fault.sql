-- An erasure could not go on: it alarms, and is tried again.
UPDATE erasure SET fault = $3, faults = erasure.faults + 1 WHERE account_id = $1 AND seq = $2
