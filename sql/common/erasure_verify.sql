-- Nothing is left of the person in any place; the own traces of the erasure go too.
UPDATE erasure SET verified_at = $3, certificate = $4, signature = $5, ledger_n = $6, slot = NULL, sealed = NULL
WHERE account_id = $1 AND seq = $2
