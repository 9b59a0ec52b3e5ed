-- Of somebody who is logged in in more browsers than these one link goes, not that of this browser.
DELETE FROM identifier WHERE account_id = $1 AND subject_id = $2 AND role = 15 AND tag = (
  SELECT other.tag FROM identifier AS other
  WHERE other.account_id = $1 AND other.subject_id = $2 AND other.role = 15 AND other.tag <> $3
  ORDER BY other.tag LIMIT 1 OFFSET $4)
