-- People of all accounts behind one of them, account by account, in the order of their ids, each with one of their
-- identifiers, sealed.
SELECT subject.account_id, subject.id, subject.slot, identifier.tag, identifier.sealed
FROM subject LEFT JOIN identifier ON identifier.account_id = subject.account_id AND identifier.subject_id = subject.id
  AND identifier.tag = (SELECT one.tag FROM identifier AS one
    WHERE one.account_id = subject.account_id AND one.subject_id = subject.id ORDER BY one.tag LIMIT 1)
WHERE (subject.account_id, subject.id) > ($1, $2) ORDER BY subject.account_id, subject.id LIMIT $3
