-- The option for each of whose values a product appears once in a shop's searches; empty: each appears once.
ALTER TABLE search_settings ADD COLUMN group_by TEXT NOT NULL DEFAULT '';
