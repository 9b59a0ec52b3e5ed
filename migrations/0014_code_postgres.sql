-- As in 0001: no sample of who works here.
ALTER TABLE operator ALTER COLUMN code_secret SET STATISTICS 0;
