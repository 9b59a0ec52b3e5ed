-- An address was asked to be forgotten: from subjects that stay the link to it goes, with the orders that came with it. So
-- does that of who is logged in in a browser, when its number was asked for.
UPDATE identifier SET role = 14 WHERE account_id = $1 AND tag = $2 AND role > 8 AND role IN (12, 13, 15)
  AND EXISTS (SELECT 1 FROM subject WHERE subject.account_id = identifier.account_id
    AND subject.id = identifier.subject_id AND subject.forgotten_seq IS NULL)
