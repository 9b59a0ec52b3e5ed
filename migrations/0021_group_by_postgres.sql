-- As in 0001: no sample of what a shop set.
ALTER TABLE search_settings ALTER COLUMN group_by SET STATISTICS 0;
