-- The same of all accounts and all their uploads, with the account and when it was closed.
SELECT account.quota_bytes, account.grown_bytes,
  (SELECT CAST(sum(file.bytes) AS BIGINT) FROM (
    SELECT upload.bytes + upload.pieces * $1 AS bytes FROM upload WHERE upload.account_id = account.id
    UNION ALL SELECT snapshot.bytes FROM snapshot WHERE snapshot.account_id = account.id
    UNION ALL SELECT held_snapshot.bytes FROM held_snapshot WHERE held_snapshot.account_id = account.id
  ) AS file) AS file_bytes,
  account.id, account.closed_at
FROM account ORDER BY account.id
