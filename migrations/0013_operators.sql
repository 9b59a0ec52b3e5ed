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
CREATE INDEX operator_link ON operator (link);
CREATE TABLE operator_name (
  tag BLOB NOT NULL PRIMARY KEY,
  operator_id BLOB NOT NULL,
  name BLOB NOT NULL
) STRICT;
CREATE INDEX operator_name_of ON operator_name (operator_id);
CREATE TABLE operator_shop (
  account_id INTEGER NOT NULL,
  operator_id BLOB NOT NULL,
  PRIMARY KEY (account_id, operator_id)
) STRICT;
CREATE INDEX operator_shop_of ON operator_shop (operator_id);
CREATE TABLE operator_act (
  at INTEGER NOT NULL,
  id BLOB NOT NULL,
  operator_id BLOB NOT NULL,
  act TEXT NOT NULL,
  shop_id INTEGER,
  about TEXT,
  PRIMARY KEY (at, id)
) STRICT;
