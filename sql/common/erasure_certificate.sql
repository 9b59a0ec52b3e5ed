-- What was issued of a verified erasure.
SELECT ledger_n, certificate, signature FROM erasure WHERE account_id = $1 AND id = $2 AND certificate IS NOT NULL
