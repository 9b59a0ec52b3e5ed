-- What a shop set for its search; without a row all of it is as it is by default.
CREATE TABLE search_settings (
  account_id INTEGER NOT NULL PRIMARY KEY,
  language TEXT,
  attributes TEXT NOT NULL,
  origins TEXT NOT NULL
) STRICT;
