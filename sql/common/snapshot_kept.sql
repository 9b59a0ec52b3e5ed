-- All snapshots of an account, with the cut of those it stands on.
SELECT snapshot.section, snapshot.seq, snapshot.blob, base.cut_seq FROM snapshot
LEFT JOIN base ON base.account_id = snapshot.account_id AND base.section = snapshot.section
  AND base.snapshot_seq = snapshot.seq
WHERE snapshot.account_id = $1 ORDER BY snapshot.section, snapshot.seq
