-- All snapshots of an account, with the cut of those it stands on, and whether they are only held.
SELECT snapshot.section, snapshot.seq, snapshot.blob, base.cut_seq, CAST(0 AS BIGINT) AS is_held FROM snapshot
LEFT JOIN base ON base.account_id = snapshot.account_id AND base.section = snapshot.section
  AND base.snapshot_seq = snapshot.seq
WHERE snapshot.account_id = $1
UNION ALL
SELECT section, seq, blob, CAST(NULL AS BIGINT), CAST(1 AS BIGINT) FROM held_snapshot WHERE account_id = $1
ORDER BY 5, 1, 2
