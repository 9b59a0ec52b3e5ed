-- Lists that a shop sets, of each kind the last ones; the newest acts. Rules were a table of their own before.
CREATE TABLE shop_list (
  account_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL,
  made_at INTEGER NOT NULL,
  restored INTEGER,
  entry_count INTEGER NOT NULL,
  entries TEXT NOT NULL,
  PRIMARY KEY (account_id, kind, version)
) STRICT, WITHOUT ROWID;
INSERT INTO shop_list (account_id, kind, version, made_at, restored, entry_count, entries)
  SELECT account_id, 'rules', version, made_at, restored, rules_count, rules FROM search_rules;
DROP TABLE search_rules;
