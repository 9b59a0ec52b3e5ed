-- Lines of synonyms, as a shop wrote them.
ALTER TABLE search_settings ADD COLUMN synonyms TEXT NOT NULL DEFAULT '';
