-- Lists that shops set, as they stand in the database, behind a place.
SELECT account_id, version AS seq, 0 AS n, kind AS word, entries AS cell FROM shop_list
WHERE account_id >= $1 AND (account_id, version, 0, kind) > ($1, $2, $3, $4) ORDER BY account_id, version, kind LIMIT $5
