-- Removals that no open feed can undo any more.
DELETE FROM user_removal WHERE account_id = $1 AND NOT EXISTS (
  SELECT 1 FROM submission
  WHERE submission.account_id = $1 AND submission.input <> 'delta' AND submission.state = 0
    AND submission.seq < user_removal.seq)
