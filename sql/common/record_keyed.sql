-- Every record with its subject's account and key slot.
SELECT s.account_id, s.slot, r.subject_id, r.kind, r.n, r.sealed
FROM record r JOIN subject s ON s.account_id = r.account_id AND s.id = r.subject_id
ORDER BY r.account_id, r.subject_id, r.kind, r.n
