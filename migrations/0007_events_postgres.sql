-- As in 0001: no sample of when somebody did something.
ALTER TABLE record ALTER COLUMN until SET STATISTICS 0;
