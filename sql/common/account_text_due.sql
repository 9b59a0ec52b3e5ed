-- Whether the text of an account's catalogue has to be looked through for everybody forgotten.
SELECT id FROM account WHERE id = $1 AND text_due = 1
