-- Events are records that end: from this UTC day on, counted from 1970, they are not kept. Null: kept until erased.
ALTER TABLE record ADD COLUMN until INTEGER;
-- In the order of acceptance, for who follows what shoppers do.
CREATE INDEX record_event ON record (account_id, n) WHERE kind = 'event';
CREATE INDEX record_until ON record (until) WHERE until IS NOT NULL;
