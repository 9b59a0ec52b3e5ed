-- A forgotten user is kept out by the suppression; nothing else remembers them.
DELETE FROM user_removal WHERE account_id = $1 AND tag = $2
