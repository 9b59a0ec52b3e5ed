-- The place of the delta that removed a user, while an older feed is open.
SELECT seq FROM user_removal WHERE account_id = $1 AND tag = $2
