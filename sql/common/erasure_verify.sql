-- Nothing is left of the person in any place; the own traces of the erasure go too.
UPDATE erasure SET verified_at = $3, certificate = $4, ledger_n = $5, slot = NULL, sealed = NULL
WHERE account_id = $1 AND seq = $2
