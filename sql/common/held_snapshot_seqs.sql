-- Submissions of which anything is held, newest first.
SELECT DISTINCT seq FROM held_snapshot WHERE account_id = $1 ORDER BY seq DESC
