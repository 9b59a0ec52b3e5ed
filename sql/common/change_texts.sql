-- What deltas put into the catalogues of all accounts, as it stands in the database, behind a place.
SELECT account_id, seq, n, item, sku, body, raw FROM change
WHERE (account_id, seq, n) > ($1, $2, $3) ORDER BY account_id, seq, n LIMIT $4
