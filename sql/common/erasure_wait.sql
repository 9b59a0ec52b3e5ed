-- What an erasure waits for; nothing fails meanwhile.
UPDATE erasure SET waits_for = $3, fault = NULL WHERE account_id = $1 AND seq = $2
