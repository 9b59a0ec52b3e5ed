-- What an account's catalogue stands on: a snapshot and a cut for each section.
SELECT base.section, base.snapshot_seq, base.cut_seq, snapshot.blob, snapshot.sku_blob, snapshot.items, base.ready_seq,
  base.swept_seq
FROM base JOIN snapshot ON snapshot.account_id = base.account_id AND snapshot.section = base.section
  AND snapshot.seq = base.snapshot_seq
WHERE base.account_id = $1 ORDER BY base.section
