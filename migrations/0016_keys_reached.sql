-- How far the key folder was that this store went on with last: its epoch, and how often a node had started with it. A
-- folder that is behind is an older copy, which lacks keys of people who are stored here.
ALTER TABLE node ADD COLUMN key_epoch INTEGER;
ALTER TABLE node ADD COLUMN key_starts INTEGER;
