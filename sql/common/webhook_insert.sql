-- The first webhook of an account.
INSERT INTO webhook (account_id, address, secret, set_at, fails, rest_until, given_up, left_out, due_told, due_told_seq,
  backup_told, quota_told)
VALUES ($1, $2, $3, $4, 0, 0, 0, 0, 0, 0, 0, 0)
