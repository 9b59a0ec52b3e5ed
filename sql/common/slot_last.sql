-- The highest key slot that something refers to; nothing when there is none.
SELECT max(slot) AS slot FROM (SELECT max(slot) AS slot FROM subject
UNION ALL SELECT max(slot) FROM payload
UNION ALL SELECT max(contact_slot) FROM account_about
UNION ALL SELECT max(slot) FROM erasure) AS named
