-- As in 0001: no sample of what a key seals.
ALTER TABLE secret ALTER COLUMN token_key SET STATISTICS 0;
