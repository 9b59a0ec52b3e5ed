-- Switches a section to a snapshot: only changes after the cut stand on it. What was swept stays swept.
INSERT INTO base (account_id, section, snapshot_seq, cut_seq, ready_seq, swept_seq) VALUES ($1, $2, $3, $4, $5, 0)
ON CONFLICT (account_id, section) DO UPDATE
SET snapshot_seq = excluded.snapshot_seq, cut_seq = excluded.cut_seq, ready_seq = excluded.ready_seq
