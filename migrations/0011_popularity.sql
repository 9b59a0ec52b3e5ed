-- Whether what shoppers like gains in a shop's search: 1 or 0.
ALTER TABLE search_settings ADD COLUMN popularity INTEGER NOT NULL DEFAULT 1;
