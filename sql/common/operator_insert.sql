-- A new operator, who has no password yet.
INSERT INTO operator (id, role, password, link, link_until, version, made_at, disabled_at)
VALUES ($1, $2, NULL, $3, $4, 1, $5, NULL)
