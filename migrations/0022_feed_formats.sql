-- The format that the sender of a feed named, and the one as which it was read.
ALTER TABLE submission ADD COLUMN format TEXT;
ALTER TABLE submission ADD COLUMN read_as TEXT;
-- The line of a feed of another system on which the row of an issue begins.
ALTER TABLE row_issue ADD COLUMN line_number INTEGER;
-- How the tables and the JSON of a shop are read: the format of its feeds, and what each column means.
CREATE TABLE feed_settings (
  account_id INTEGER NOT NULL PRIMARY KEY,
  format TEXT,
  mapping TEXT
) STRICT;
