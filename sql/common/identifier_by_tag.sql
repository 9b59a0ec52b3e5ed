-- Whom an identifier leads to, and in which role. Of one that only orders named: how much else says that there are other
-- addresses: in orders, once in a profile, or as the user id itself. One subject for a user id, perhaps several for an email.
SELECT identifier.subject_id, subject.slot, subject.forgotten_seq, identifier.role,
  (SELECT count(*) FROM identifier AS other WHERE identifier.role = 13
      AND other.account_id = identifier.account_id AND other.subject_id = identifier.subject_id
      AND (other.role IN (2, 3, 5) OR other.role = 13 AND other.tag <> identifier.tag)) AS other_addresses
FROM identifier JOIN subject ON subject.account_id = identifier.account_id AND subject.id = identifier.subject_id
WHERE identifier.account_id = $1 AND identifier.tag = $2 ORDER BY identifier.subject_id LIMIT $3
