-- The limit that was set for an account, the size that it keeps without one, and the bytes of its files: of its uploads
-- but one, with $3 more for each piece, of the catalogues it shows or could go back to, and of those that are held. And
-- some other open account.
SELECT account.quota_bytes, account.grown_bytes,
  (SELECT CAST(sum(file.bytes) AS BIGINT) FROM (
    SELECT upload.bytes + upload.pieces * $3 AS bytes FROM upload WHERE upload.account_id = $1 AND upload.seq <> $2
    UNION ALL SELECT snapshot.bytes FROM snapshot WHERE snapshot.account_id = $1
    UNION ALL SELECT held_snapshot.bytes FROM held_snapshot WHERE held_snapshot.account_id = $1
  ) AS file) AS file_bytes,
  (SELECT other.id FROM account AS other WHERE other.id <> $1 AND other.closed_at IS NULL ORDER BY other.id LIMIT 1) AS other_id
FROM account WHERE account.id = $1
