-- What every shop says of itself.
SELECT account_id, display_name, language, contact, contact_slot FROM account_about ORDER BY account_id
