-- As in 0001: no sample of what a shop set.
ALTER TABLE search_rules ALTER COLUMN rules SET STATISTICS 0;
