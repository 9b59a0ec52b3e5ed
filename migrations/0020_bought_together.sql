-- Which products come first among those that are bought together in a shop: likely, balanced or specific.
ALTER TABLE search_settings ADD COLUMN bought_together TEXT NOT NULL DEFAULT 'likely';
