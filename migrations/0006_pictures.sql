-- The origins of pictures that the page for trying the search may show, one a line.
ALTER TABLE search_settings ADD COLUMN pictures TEXT NOT NULL DEFAULT '';
