-- The line of a feed of another system on which the row of an issue begins.
ALTER TABLE row_issue ADD COLUMN line_number INTEGER;
