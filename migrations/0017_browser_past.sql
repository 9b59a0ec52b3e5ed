-- When somebody was logged in in a browser, and before when nothing told late may be stored, as consent was withdrawn: not who.
-- A log-in that lasts has no end. Rows go by the UTC day, counted from 1970.
CREATE TABLE browser_past (
  account_id INTEGER NOT NULL,
  tag BLOB NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  day INTEGER NOT NULL,
  PRIMARY KEY (account_id, tag, since)
) STRICT, WITHOUT ROWID;
CREATE INDEX browser_past_day ON browser_past (day);
