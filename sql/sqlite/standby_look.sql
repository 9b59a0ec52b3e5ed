-- An embedded database has no standby; a server on one refuses to be told to require it.
SELECT 0, 0, 0
