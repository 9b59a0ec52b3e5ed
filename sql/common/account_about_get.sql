-- What a shop says of itself.
SELECT display_name, language, contact, contact_slot FROM account_about WHERE account_id = $1
