-- The second factor of an operator who wants one (RFC 6238), sealed; and the last step of time whose code was used.
ALTER TABLE operator ADD COLUMN code_secret BLOB;
ALTER TABLE operator ADD COLUMN code_step INTEGER;
