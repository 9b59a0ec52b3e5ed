-- An order was looked at: the event in which its products are noted, if there are any.
UPDATE order_known SET is_noted = 1, event_n = $1 WHERE account_id = $2 AND tag = $3
