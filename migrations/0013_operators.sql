-- Who works at the console. The lines of what they did name a random number; what they are called is a row of its own,
-- which goes when they leave. A link is used once, to choose a password; version counts what changed of them.
CREATE TABLE operator (
  id BLOB NOT NULL PRIMARY KEY,
  role TEXT NOT NULL,
  password TEXT,
  link BLOB,
  link_until INTEGER,
  version INTEGER NOT NULL,
  made_at INTEGER NOT NULL,
  disabled_at INTEGER
) STRICT;
CREATE TABLE operator_name (
  tag BLOB NOT NULL PRIMARY KEY,
  operator_id BLOB NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE TABLE operator_shop (
  operator_id BLOB NOT NULL,
  account_id INTEGER NOT NULL,
  PRIMARY KEY (operator_id, account_id)
) STRICT;
CREATE TABLE operator_act (
  at INTEGER NOT NULL,
  id BLOB NOT NULL,
  operator_id BLOB NOT NULL,
  act TEXT NOT NULL,
  account_id INTEGER,
  about TEXT,
  PRIMARY KEY (at, id)
) STRICT;
