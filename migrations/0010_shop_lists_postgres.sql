-- As in 0001: no sample of what a shop set.
ALTER TABLE shop_list ALTER COLUMN kind SET STATISTICS 0;
ALTER TABLE shop_list ALTER COLUMN entries SET STATISTICS 0;
