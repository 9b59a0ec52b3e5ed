-- A subject's identifiers, sealed, and the role in which each leads to it.
SELECT tag, kind, sealed, role FROM identifier WHERE account_id = $1 AND subject_id = $2 ORDER BY tag
