-- Feeds and deltas have numbers of their own within an account, given at acceptance and never again; seq stays the
-- order of acceptance of everything. A snapshot keeps the number of its feed longer than the submission is kept.
ALTER TABLE account ADD COLUMN feeds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN deltas INTEGER NOT NULL DEFAULT 0;
ALTER TABLE submission ADD COLUMN kind_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshot ADD COLUMN kind_number INTEGER;
-- Those that are still there, in the order of their acceptance: feeds by their submissions and snapshots, then deltas.
UPDATE snapshot SET kind_number = numbered.n FROM (
  SELECT account_id, seq, row_number() OVER (PARTITION BY account_id ORDER BY seq) AS n FROM (
    SELECT account_id, seq FROM submission WHERE input <> 'delta' UNION SELECT account_id, seq FROM snapshot) AS feed
) AS numbered WHERE numbered.account_id = snapshot.account_id AND numbered.seq = snapshot.seq;
UPDATE submission SET kind_number = numbered.n FROM (
  SELECT account_id, seq, row_number() OVER (PARTITION BY account_id ORDER BY seq) AS n FROM (
    SELECT account_id, seq FROM submission WHERE input <> 'delta' UNION SELECT account_id, seq FROM snapshot) AS feed
) AS numbered WHERE numbered.account_id = submission.account_id AND numbered.seq = submission.seq;
UPDATE submission SET kind_number = numbered.n FROM (
  SELECT account_id, seq, row_number() OVER (PARTITION BY account_id ORDER BY seq) AS n
  FROM submission WHERE input = 'delta'
) AS numbered WHERE numbered.account_id = submission.account_id AND numbered.seq = submission.seq;
UPDATE account SET feeds = numbered.n FROM (
  SELECT account_id, count(*) AS n FROM (
    SELECT account_id, seq FROM submission WHERE input <> 'delta' UNION SELECT account_id, seq FROM snapshot) AS feed
  GROUP BY account_id
) AS numbered WHERE numbered.account_id = account.id;
UPDATE account SET deltas = numbered.n FROM (
  SELECT account_id, count(*) AS n FROM submission WHERE input = 'delta' GROUP BY account_id
) AS numbered WHERE numbered.account_id = account.id;
-- The officer's own references of an erasure, such as the number of a ticket, parted by commas.
ALTER TABLE erasure ADD COLUMN reference TEXT;
CREATE INDEX erasure_referenced ON erasure (account_id, seq) WHERE reference IS NOT NULL;
