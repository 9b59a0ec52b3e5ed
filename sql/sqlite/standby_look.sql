-- An embedded database has no standby; a server on one refuses to be told to require it.
SELECT 0 AS has_names, 0 AS synchronous, 0 AS hidden
