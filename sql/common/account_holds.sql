-- The limit that was set for an account, the size that it keeps without one, and the bytes of its files: of its uploads
-- but one, of the catalogues it shows or could go back to, and of those that are held. And some other open account.
SELECT account.quota_bytes, account.grown_bytes,
  (SELECT CAST(sum(upload.bytes) AS BIGINT) FROM upload WHERE upload.account_id = $1 AND upload.seq <> $2),
  (SELECT CAST(sum(snapshot.bytes) AS BIGINT) FROM snapshot WHERE snapshot.account_id = $1),
  (SELECT CAST(sum(held_snapshot.bytes) AS BIGINT) FROM held_snapshot WHERE held_snapshot.account_id = $1),
  (SELECT other.id FROM account AS other WHERE other.id <> $1 AND other.closed_at IS NULL ORDER BY other.id LIMIT 1)
FROM account WHERE account.id = $1
