-- As in 0001: no sample of what a shop sent or set.
ALTER TABLE submission ALTER COLUMN format SET STATISTICS 0;
ALTER TABLE submission ALTER COLUMN read_as SET STATISTICS 0;
ALTER TABLE row_issue ALTER COLUMN line_number SET STATISTICS 0;
ALTER TABLE feed_settings
  ALTER COLUMN format SET STATISTICS 0,
  ALTER COLUMN mapping SET STATISTICS 0;
