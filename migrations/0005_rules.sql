-- Each list of rules that a shop set for its search; the newest acts.
CREATE TABLE search_rules (
  account_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  made_at INTEGER NOT NULL,
  restored INTEGER,
  rules_count INTEGER NOT NULL,
  rules TEXT NOT NULL,
  PRIMARY KEY (account_id, version)
) STRICT, WITHOUT ROWID;
