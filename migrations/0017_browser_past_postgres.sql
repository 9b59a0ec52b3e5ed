-- As in 0001: no sample of what somebody sent.
ALTER TABLE browser_past ALTER COLUMN tag SET STATISTICS 0;
