-- Since when an identifier is suppressed, and up to where: a person who came back is let in behind that place.
SELECT seq, lifted_seq, kind, version, created_at, lifted_at FROM suppression WHERE account_id = $1 AND tag = $2
