-- As in 0001: no sample of what rows say.
ALTER TABLE row_issue ALTER COLUMN line_number SET STATISTICS 0;
