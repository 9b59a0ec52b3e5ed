-- What a shop says of itself from now on.
INSERT INTO account_about (account_id, display_name, language, contact, contact_slot) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id) DO UPDATE SET display_name = excluded.display_name, language = excluded.language,
  contact = excluded.contact, contact_slot = excluded.contact_slot
