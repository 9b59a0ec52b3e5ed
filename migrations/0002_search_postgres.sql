-- As in 0001: no sample of what a shop set.
ALTER TABLE search_settings
  ALTER COLUMN language SET STATISTICS 0,
  ALTER COLUMN attributes SET STATISTICS 0,
  ALTER COLUMN origins SET STATISTICS 0;
