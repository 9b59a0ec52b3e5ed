-- The state of up to sixteen submissions.
SELECT token, state, CASE WHEN state = 0 AND published_as IS NOT NULL THEN NULL ELSE reason END AS reason, input
FROM submission
WHERE account_id = $1
  AND token IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
