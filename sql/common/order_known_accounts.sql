-- Accounts that have orders that were not looked at: one look into the index of these for each account.
SELECT account.id FROM account WHERE EXISTS (
  SELECT 1 FROM order_known WHERE order_known.account_id = account.id AND order_known.is_noted = 0)
