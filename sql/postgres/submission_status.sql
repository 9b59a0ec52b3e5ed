-- The state of up to sixteen submissions, each found by its key: of a list of tokens PostgreSQL would look at all
-- submissions of the account, as long as it believes them to be few.
SELECT found.token, found.state, found.reason, found.input
FROM unnest(ARRAY[$2::bytea, $3::bytea, $4::bytea, $5::bytea, $6::bytea, $7::bytea, $8::bytea, $9::bytea, $10::bytea,
  $11::bytea, $12::bytea, $13::bytea, $14::bytea, $15::bytea, $16::bytea, $17::bytea]) AS asked (token)
CROSS JOIN LATERAL (
  SELECT token, state, CASE WHEN state = 0 AND published_as IS NOT NULL THEN NULL ELSE reason END AS reason, input
  FROM submission WHERE account_id = $1 AND token = asked.token OFFSET 0
) AS found
