-- A subject's identifiers, sealed, and the role in which each leads to it.
SELECT tag, kind, sealed, role FROM identifier WHERE subject_id = $1 ORDER BY tag
