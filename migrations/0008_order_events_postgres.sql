-- As in 0001: no sample of what somebody ordered.
ALTER TABLE order_known ALTER COLUMN event_n SET STATISTICS 0;
