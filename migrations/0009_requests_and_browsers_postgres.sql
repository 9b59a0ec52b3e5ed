-- As in 0001: no sample of what somebody sent.
ALTER TABLE event_request ALTER COLUMN tag SET STATISTICS 0;
ALTER TABLE shut_browser ALTER COLUMN tag SET STATISTICS 0;
