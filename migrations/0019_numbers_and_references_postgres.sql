-- As in 0001: no sample of what an officer wrote.
ALTER TABLE erasure ALTER COLUMN reference SET STATISTICS 0;
