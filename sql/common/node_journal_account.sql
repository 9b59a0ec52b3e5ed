-- The journal names accounts up to this one: none of these numbers is given again.
UPDATE node SET journal_account = $1 WHERE id = 1 AND journal_account < $1
