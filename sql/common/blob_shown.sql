-- The files of what accounts show: of each section the snapshot on which it stands.
SELECT account.name, base.section, snapshot.blob, snapshot.sku_blob
FROM base JOIN account ON account.id = base.account_id
JOIN snapshot ON snapshot.account_id = base.account_id AND snapshot.section = base.section AND snapshot.seq = base.snapshot_seq
ORDER BY account.name, base.section
