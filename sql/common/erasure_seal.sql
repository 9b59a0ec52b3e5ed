-- All identifiers of the person, sealed under the own key of the erasure.
UPDATE erasure SET sealed = $3 WHERE account_id = $1 AND seq = $2
