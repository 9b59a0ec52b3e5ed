-- As in 0001: no sample of what a shop set, and of what it is told.
ALTER TABLE webhook
  ALTER COLUMN address SET STATISTICS 0,
  ALTER COLUMN secret SET STATISTICS 0,
  ALTER COLUMN old_secret SET STATISTICS 0,
  ALTER COLUMN off_reason SET STATISTICS 0,
  ALTER COLUMN failure SET STATISTICS 0;
ALTER TABLE webhook_message
  ALTER COLUMN id SET STATISTICS 0,
  ALTER COLUMN body SET STATISTICS 0;
