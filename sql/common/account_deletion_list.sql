-- All deletions that were ever asked for, oldest first, with the account's name.
SELECT account.name, account_deletion.state, account_deletion.asked_at, account_deletion.decided_at
FROM account_deletion JOIN account ON account.id = account_deletion.account_id
ORDER BY account_deletion.asked_at, account.id
