-- From here on nothing is stored for those whose an identifier is: by role up to $4, and ($5 = 13) by their orders alone.
UPDATE subject SET forgotten_seq = $1 WHERE account_id = $2 AND forgotten_seq IS NULL AND id IN (
  SELECT identifier.subject_id FROM identifier WHERE identifier.account_id = $2 AND identifier.tag = $3
    AND (identifier.role <= $4 OR identifier.role = $5 AND NOT EXISTS (
      SELECT 1 FROM identifier AS other
      WHERE other.account_id = identifier.account_id AND other.subject_id = identifier.subject_id
        AND (other.role IN (2, 3, 5) OR other.role = 13 AND other.tag <> identifier.tag))))
