-- Forgets a snapshot that its section does not stand on; its file is removed by the sweep.
DELETE FROM snapshot WHERE account_id = $1 AND section = $2 AND seq = $3 AND NOT EXISTS (
  SELECT 1 FROM base WHERE base.account_id = snapshot.account_id AND base.section = snapshot.section
    AND base.snapshot_seq = snapshot.seq)
