-- The same of all accounts and all their uploads, with the account and when it was closed.
SELECT account.quota_bytes, account.grown_bytes,
  (SELECT CAST(sum(upload.bytes) AS BIGINT) FROM upload WHERE upload.account_id = account.id),
  (SELECT CAST(sum(snapshot.bytes) AS BIGINT) FROM snapshot WHERE snapshot.account_id = account.id),
  (SELECT CAST(sum(held_snapshot.bytes) AS BIGINT) FROM held_snapshot WHERE held_snapshot.account_id = account.id),
  account.id, account.closed_at
FROM account ORDER BY account.id
