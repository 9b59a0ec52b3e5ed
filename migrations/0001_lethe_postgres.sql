-- What only PostgreSQL has to be told of the tables. It keeps deleted rows in its files until VACUUM has passed over
-- them, and samples of columns in its statistics.

-- Nothing that a shop or a shopper sent, no text and no sealed bytes stand in the statistics. Every table is asked by
-- its keys and indexes, which the planner takes without them. It needs to know how many rows belong to a subject, whose
-- random number says nothing (subject_id, subject.id), and how many an identifier leads to: of its tag two samples stay
-- until the next ANALYZE, the least and the greatest, and the number of different ones is told here.
ALTER TABLE identifier
  ALTER COLUMN tag SET STATISTICS 1,
  ALTER COLUMN tag SET (n_distinct = -0.5),
  ALTER COLUMN sealed SET STATISTICS 0;
ALTER TABLE record
  ALTER COLUMN kind SET STATISTICS 0,
  ALTER COLUMN sealed SET STATISTICS 0;
ALTER TABLE order_known
  ALTER COLUMN tag SET STATISTICS 0,
  ALTER COLUMN ordered_at SET STATISTICS 0,
  ALTER COLUMN email SET STATISTICS 0;
ALTER TABLE user_removal ALTER COLUMN tag SET STATISTICS 0;
ALTER TABLE suppression ALTER COLUMN tag SET STATISTICS 0;
ALTER TABLE node
  ALTER COLUMN holder SET STATISTICS 0,
  ALTER COLUMN key_set SET STATISTICS 0,
  ALTER COLUMN journal_chain SET STATISTICS 0;
ALTER TABLE account
  ALTER COLUMN name SET STATISTICS 0,
  ALTER COLUMN access_key SET STATISTICS 0,
  ALTER COLUMN currency SET STATISTICS 0;
ALTER TABLE account_deletion ALTER COLUMN state SET STATISTICS 0;
ALTER TABLE account_about
  ALTER COLUMN display_name SET STATISTICS 0,
  ALTER COLUMN language SET STATISTICS 0,
  ALTER COLUMN contact SET STATISTICS 0;
ALTER TABLE secret ALTER COLUMN hash SET STATISTICS 0;
ALTER TABLE submission
  ALTER COLUMN token SET STATISTICS 0,
  ALTER COLUMN input SET STATISTICS 0,
  ALTER COLUMN reason SET STATISTICS 0,
  ALTER COLUMN host SET STATISTICS 0,
  ALTER COLUMN upload SET STATISTICS 0,
  ALTER COLUMN manner SET STATISTICS 0,
  ALTER COLUMN from_section SET STATISTICS 0,
  ALTER COLUMN digest SET STATISTICS 0;
ALTER TABLE payload ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE job ALTER COLUMN fault SET STATISTICS 0;
ALTER TABLE upload ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE upload_piece ALTER COLUMN blob SET STATISTICS 0;
ALTER TABLE row_issue
  ALTER COLUMN meant SET STATISTICS 0,
  ALTER COLUMN code SET STATISTICS 0,
  ALTER COLUMN severity SET STATISTICS 0,
  ALTER COLUMN section SET STATISTICS 0,
  ALTER COLUMN field SET STATISTICS 0;
ALTER TABLE issue_count
  ALTER COLUMN section SET STATISTICS 0,
  ALTER COLUMN code SET STATISTICS 0,
  ALTER COLUMN severity SET STATISTICS 0,
  ALTER COLUMN first_rows SET STATISTICS 0;
ALTER TABLE snapshot
  ALTER COLUMN section SET STATISTICS 0,
  ALTER COLUMN blob SET STATISTICS 0,
  ALTER COLUMN sku_blob SET STATISTICS 0;
ALTER TABLE held_snapshot
  ALTER COLUMN section SET STATISTICS 0,
  ALTER COLUMN blob SET STATISTICS 0,
  ALTER COLUMN sku_blob SET STATISTICS 0;
ALTER TABLE difference
  ALTER COLUMN section SET STATISTICS 0,
  ALTER COLUMN kind SET STATISTICS 0;
ALTER TABLE difference_example
  ALTER COLUMN section SET STATISTICS 0,
  ALTER COLUMN kind SET STATISTICS 0,
  ALTER COLUMN item SET STATISTICS 0,
  ALTER COLUMN before SET STATISTICS 0,
  ALTER COLUMN after SET STATISTICS 0;
ALTER TABLE base ALTER COLUMN section SET STATISTICS 0;
ALTER TABLE feed_source
  ALTER COLUMN url_tag SET STATISTICS 0,
  ALTER COLUMN sections SET STATISTICS 0,
  ALTER COLUMN etag SET STATISTICS 0,
  ALTER COLUMN last_modified SET STATISTICS 0;
ALTER TABLE change
  ALTER COLUMN section SET STATISTICS 0,
  ALTER COLUMN item SET STATISTICS 0,
  ALTER COLUMN sku SET STATISTICS 0,
  ALTER COLUMN op SET STATISTICS 0,
  ALTER COLUMN body SET STATISTICS 0,
  ALTER COLUMN raw SET STATISTICS 0;
ALTER TABLE change_child ALTER COLUMN child SET STATISTICS 0;
ALTER TABLE erasure
  ALTER COLUMN id SET STATISTICS 0,
  ALTER COLUMN state SET STATISTICS 0,
  ALTER COLUMN sealed SET STATISTICS 0,
  ALTER COLUMN waits_for SET STATISTICS 0,
  ALTER COLUMN fault SET STATISTICS 0,
  ALTER COLUMN certificate SET STATISTICS 0,
  ALTER COLUMN signature SET STATISTICS 0,
  ALTER COLUMN asked SET STATISTICS 0;
ALTER TABLE erasure_step ALTER COLUMN state SET STATISTICS 0;
ALTER TABLE erasure_place ALTER COLUMN place SET STATISTICS 0;
ALTER TABLE ledger_head ALTER COLUMN ledger SET STATISTICS 0;
ALTER TABLE ledger ALTER COLUMN entry SET STATISTICS 0;
ALTER TABLE ledger_node ALTER COLUMN hash SET STATISTICS 0;
-- Rows that are written again in place find room on their page, so that no index is written and the old version goes
-- with the next look at the page.
ALTER TABLE node SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE account SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE ledger_head SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE shown SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE base SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE upload SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Rows that come and go: VACUUM begins when few of them are dead, and does not pause, as what it has to read is little.
ALTER TABLE job SET (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);
ALTER TABLE payload SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_cost_delay = 0,
  toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 200,
  toast.autovacuum_vacuum_cost_delay = 0);
ALTER TABLE submission SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200);
ALTER TABLE upload_piece SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200);
ALTER TABLE change SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200,
  toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 200);
ALTER TABLE change_child SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200);

-- Rows about people: what a forgotten person leaves is soon free to be written over.
ALTER TABLE subject SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50);
ALTER TABLE identifier SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50);
ALTER TABLE record SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50,
  toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 50);
ALTER TABLE order_known SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50);
ALTER TABLE user_removal SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50);
ALTER TABLE erasure SET (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50,
  toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 50);
