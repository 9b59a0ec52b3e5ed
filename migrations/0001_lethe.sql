-- Everything Lethe stores in the database. Times are milliseconds since 1970; `seq` is the order of acceptance
-- within one account, given by account.seq. Catalogue snapshots and the keys live outside. A table of small rows whose
-- primary keys come or go together, as those of new people and of an upload's pieces do, lies in their order (WITHOUT
-- ROWID): one tree less to write.
-- A table of what belongs to an account has the account first in its primary key.

CREATE TABLE node (
  id INTEGER NOT NULL PRIMARY KEY,
  holder TEXT,
  beat INTEGER NOT NULL,
  key_set BLOB,
  journal_n INTEGER NOT NULL,
  journal_chain BLOB,
  journal_account INTEGER NOT NULL,
  backup_at INTEGER,
  history INTEGER NOT NULL,
  accounts_changed INTEGER NOT NULL
) STRICT;
INSERT INTO node (id, holder, beat, key_set, journal_n, journal_account, backup_at, history, accounts_changed)
VALUES (1, NULL, 0, NULL, 0, 0, NULL, 0, 0);

CREATE TABLE account (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  access_key TEXT NOT NULL UNIQUE,
  currency TEXT,
  seq INTEGER NOT NULL,
  kept_out INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  removal_percent INTEGER,
  quota_bytes INTEGER,
  grown_bytes INTEGER
) STRICT;

CREATE TABLE account_deletion (
  account_id INTEGER NOT NULL PRIMARY KEY,
  state TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  decided_at INTEGER
) STRICT;

-- What a shop says of itself, apart from the row that every acceptance writes.
CREATE TABLE account_about (
  account_id INTEGER NOT NULL PRIMARY KEY,
  display_name TEXT,
  language TEXT,
  contact BLOB,
  contact_slot INTEGER
) STRICT;

CREATE TABLE secret (
  account_id INTEGER NOT NULL,
  n INTEGER NOT NULL,
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY (account_id, n)
) STRICT;

CREATE TABLE submission (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  token BLOB NOT NULL,
  input TEXT NOT NULL,
  state INTEGER NOT NULL,
  published_as INTEGER,
  reason TEXT,
  accepted_at INTEGER NOT NULL,
  finished_at INTEGER,
  host TEXT,
  upload TEXT,
  manner TEXT,
  from_seq INTEGER,
  from_section TEXT,
  ready_seq INTEGER,
  digest BLOB,
  leader_seq INTEGER,
  PRIMARY KEY (account_id, seq)
) STRICT;
CREATE UNIQUE INDEX submission_token ON submission (account_id, token);
CREATE INDEX submission_open_digest ON submission (account_id, digest) WHERE state = 0 AND digest IS NOT NULL;
CREATE INDEX submission_follower ON submission (account_id, leader_seq) WHERE leader_seq IS NOT NULL;
CREATE INDEX submission_open ON submission (account_id, seq) WHERE state = 0;
CREATE INDEX submission_feed ON submission (account_id, seq) WHERE input <> 'delta';
CREATE INDEX submission_finished ON submission (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE payload (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  slot INTEGER,
  may_hold_people INTEGER NOT NULL,
  body BLOB,
  PRIMARY KEY (account_id, seq)
) STRICT;

-- As long as it has pieces; without a name from its end on.
CREATE TABLE upload (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  name BLOB,
  pieces INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  touched_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, seq)
) STRICT;
CREATE UNIQUE INDEX upload_open ON upload (account_id, name) WHERE name IS NOT NULL;

CREATE TABLE upload_piece (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  n INTEGER NOT NULL,
  blob TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, seq, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
  account_id INTEGER NOT NULL,
  lane TEXT NOT NULL,
  seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  wake INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  holder TEXT,
  lease INTEGER NOT NULL,
  beat INTEGER NOT NULL,
  phase TEXT NOT NULL,
  rows_done INTEGER NOT NULL,
  bytes_done INTEGER NOT NULL,
  bytes_total INTEGER,
  reading_ms INTEGER NOT NULL,
  fault TEXT,
  tries_left INTEGER,
  PRIMARY KEY (account_id, lane, seq)
) STRICT;
CREATE INDEX job_waiting ON job (lane, turn, run_at, account_id, seq) WHERE holder IS NULL;
CREATE INDEX job_held ON job (lane, turn) WHERE holder IS NOT NULL;

CREATE TABLE row_issue (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  n INTEGER NOT NULL,
  code TEXT NOT NULL,
  severity TEXT NOT NULL,
  section TEXT NOT NULL,
  row_number INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  field TEXT,
  meant TEXT,
  PRIMARY KEY (account_id, seq, n)
) STRICT;

CREATE TABLE issue_count (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  section TEXT NOT NULL,
  code TEXT NOT NULL,
  severity TEXT NOT NULL,
  found INTEGER NOT NULL,
  first_rows TEXT NOT NULL,
  PRIMARY KEY (account_id, seq, section, code)
) STRICT;

CREATE TABLE snapshot (
  account_id INTEGER NOT NULL,
  section TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ready_seq INTEGER NOT NULL,
  blob TEXT NOT NULL,
  sku_blob TEXT,
  items INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, section, seq)
) STRICT;

CREATE TABLE held_snapshot (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  section TEXT NOT NULL,
  blob TEXT NOT NULL,
  sku_blob TEXT,
  items INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, seq, section)
) STRICT;

CREATE TABLE difference (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  section TEXT NOT NULL,
  kind TEXT NOT NULL,
  found INTEGER NOT NULL,
  PRIMARY KEY (account_id, seq, section, kind)
) STRICT;

CREATE TABLE difference_example (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  section TEXT NOT NULL,
  kind TEXT NOT NULL,
  n INTEGER NOT NULL,
  item TEXT NOT NULL,
  before TEXT,
  after TEXT,
  PRIMARY KEY (account_id, seq, section, kind, n)
) STRICT;

CREATE TABLE base (
  account_id INTEGER NOT NULL,
  section TEXT NOT NULL,
  snapshot_seq INTEGER NOT NULL,
  cut_seq INTEGER NOT NULL,
  ready_seq INTEGER NOT NULL,
  swept_seq INTEGER NOT NULL,
  PRIMARY KEY (account_id, section)
) STRICT;

CREATE TABLE shown (
  account_id INTEGER NOT NULL PRIMARY KEY,
  pos INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  n INTEGER NOT NULL
) STRICT;

CREATE TABLE feed_source (
  account_id INTEGER NOT NULL,
  url_tag BLOB NOT NULL,
  seq INTEGER NOT NULL,
  sections TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  PRIMARY KEY (account_id, url_tag)
) STRICT;

CREATE TABLE change (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  n INTEGER NOT NULL,
  section TEXT NOT NULL,
  item TEXT NOT NULL,
  sku TEXT,
  op TEXT NOT NULL,
  body BLOB,
  row_number INTEGER NOT NULL,
  raw BLOB,
  PRIMARY KEY (account_id, seq, n)
) STRICT;
CREATE INDEX change_by_item ON change (account_id, section, item, seq, n);
CREATE INDEX change_by_sku ON change (account_id, section, sku, seq) WHERE sku IS NOT NULL;

CREATE TABLE change_child (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  n INTEGER NOT NULL,
  child TEXT NOT NULL,
  PRIMARY KEY (account_id, seq, n, child),
  FOREIGN KEY (account_id, seq, n) REFERENCES change (account_id, seq, n) ON DELETE CASCADE
) STRICT;
CREATE INDEX change_child_by_child ON change_child (account_id, child, seq);

CREATE TABLE subject (
  account_id INTEGER NOT NULL,
  id BLOB NOT NULL,
  slot INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  forgotten_seq INTEGER,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX subject_forgotten ON subject (account_id, forgotten_seq, id, slot) WHERE forgotten_seq IS NOT NULL;

CREATE TABLE identifier (
  account_id INTEGER NOT NULL,
  tag BLOB NOT NULL,
  subject_id BLOB NOT NULL,
  kind INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  role INTEGER NOT NULL,
  PRIMARY KEY (account_id, subject_id, tag)
) STRICT, WITHOUT ROWID;
-- With the role it is all that a look-up needs: by less SQLite would go through the account, in order of its subjects.
CREATE INDEX identifier_by_tag ON identifier (account_id, tag, subject_id, role);
CREATE INDEX identifier_role ON identifier (account_id, tag, role, subject_id) WHERE role > 8;

CREATE TABLE record (
  account_id INTEGER NOT NULL,
  subject_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  n INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (account_id, subject_id, kind, n)
) STRICT;

CREATE TABLE order_known (
  account_id INTEGER NOT NULL,
  tag BLOB NOT NULL,
  subject_id BLOB NOT NULL,
  n INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  ordered_at INTEGER NOT NULL,
  email BLOB,
  PRIMARY KEY (account_id, tag)
) STRICT;
CREATE INDEX order_known_by_subject ON order_known (account_id, subject_id, email);
CREATE INDEX order_known_by_place ON order_known (account_id, subject_id, n);

CREATE TABLE user_removal (
  account_id INTEGER NOT NULL,
  tag BLOB NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (account_id, tag)
) STRICT;

CREATE TABLE suppression (
  account_id INTEGER NOT NULL,
  tag BLOB NOT NULL,
  kind INTEGER NOT NULL,
  version INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  lifted_seq INTEGER,
  lifted_at INTEGER,
  PRIMARY KEY (account_id, tag)
) STRICT;

CREATE TABLE erasure (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  id BLOB NOT NULL UNIQUE,
  state TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  verified_at INTEGER,
  slot INTEGER,
  sealed BLOB,
  waits_for TEXT,
  fault TEXT,
  faults INTEGER NOT NULL,
  certificate TEXT,
  signature BLOB,
  ledger_n INTEGER,
  asked BLOB NOT NULL,
  PRIMARY KEY (account_id, seq)
) STRICT;
CREATE INDEX erasure_asked ON erasure (account_id, asked);
CREATE INDEX erasure_open ON erasure (account_id, seq) WHERE verified_at IS NULL;

CREATE TABLE erasure_step (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, seq, state)
) STRICT;

CREATE TABLE erasure_place (
  account_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  place TEXT NOT NULL,
  removed INTEGER NOT NULL,
  found INTEGER,
  PRIMARY KEY (account_id, seq, place)
) STRICT;

CREATE TABLE ledger_head (
  account_id INTEGER NOT NULL PRIMARY KEY,
  ledger BLOB NOT NULL UNIQUE,
  size INTEGER NOT NULL
) STRICT;

CREATE TABLE ledger (
  account_id INTEGER NOT NULL,
  n INTEGER NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (account_id, n)
) STRICT;

CREATE TABLE ledger_node (
  account_id INTEGER NOT NULL,
  n INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (account_id, n)
) STRICT;
