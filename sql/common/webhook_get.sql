-- The webhook of an account, and how many messages wait.
SELECT address, secret, old_secret, old_until, set_at, off_reason, delivered_at, failed_at, failure, fails, given_up, left_out,
  (SELECT count(*) FROM webhook_message WHERE webhook_message.account_id = webhook.account_id) AS waiting
FROM webhook WHERE account_id = $1
