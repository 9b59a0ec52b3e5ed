-- A subject's identifiers, sealed.
SELECT tag, kind, sealed FROM identifier WHERE subject_id = $1 ORDER BY tag
