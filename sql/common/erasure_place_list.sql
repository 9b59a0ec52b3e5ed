-- What an erasure removed from each place, and what was left there.
SELECT place, removed, found FROM erasure_place WHERE account_id = $1 AND seq = $2 ORDER BY place
