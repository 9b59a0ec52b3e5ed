-- Whether the text of an account's catalogue has to be looked through.
UPDATE account SET text_due = $2 WHERE id = $1
