-- What an account shows, as a number that grows with every change of it, and the last change that was applied.
SELECT pos, seq, n FROM shown WHERE account_id = $1
