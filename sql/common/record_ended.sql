-- Records that are not kept any longer, those of the earliest day first.
SELECT account_id, subject_id, kind, n FROM record WHERE until <= $1 ORDER BY until LIMIT $2
