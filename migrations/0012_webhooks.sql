-- Where a shop's own server is told what ended here, and how that went; off_reason says why nothing is told any more. The
-- last columns say up to where it was told what goes on.
CREATE TABLE webhook (
  account_id INTEGER NOT NULL PRIMARY KEY,
  address BLOB NOT NULL,
  secret BLOB NOT NULL,
  old_secret BLOB,
  old_until INTEGER,
  set_at INTEGER NOT NULL,
  off_reason TEXT,
  delivered_at INTEGER,
  failed_at INTEGER,
  failure TEXT,
  fails INTEGER NOT NULL,
  rest_until INTEGER NOT NULL,
  given_up INTEGER NOT NULL,
  left_out INTEGER NOT NULL,
  due_told INTEGER NOT NULL,
  due_told_seq INTEGER NOT NULL,
  backup_told INTEGER NOT NULL,
  quota_told INTEGER NOT NULL
) STRICT;

-- The messages that wait. None names a person.
CREATE TABLE webhook_message (
  account_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT;
CREATE INDEX webhook_message_next ON webhook_message (account_id, next_at);
