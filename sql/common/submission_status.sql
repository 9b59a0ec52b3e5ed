-- The state of up to sixteen submissions of one kind.
SELECT token, state, reason FROM submission
WHERE account_id = $1 AND kind = $2
  AND token IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
