-- Changes are found by a SKU, or by a child, in the order in which they were applied: with all that the order asks for
-- in the index, so that the newest one is one look-up however many there are.
DROP INDEX change_by_sku;
CREATE INDEX change_by_sku ON change (account_id, section, sku, op, seq, n) WHERE sku IS NOT NULL;
DROP INDEX change_child_by_child;
CREATE INDEX change_child_by_child ON change_child (account_id, child, seq, n);
-- So it is with open submissions of one content, those that follow one, and the orders of a person with an address.
DROP INDEX submission_open_digest;
CREATE INDEX submission_open_digest ON submission (account_id, digest, seq) WHERE state = 0 AND digest IS NOT NULL;
DROP INDEX submission_follower;
CREATE INDEX submission_follower ON submission (account_id, leader_seq, seq) WHERE leader_seq IS NOT NULL;
DROP INDEX order_known_by_subject;
CREATE INDEX order_known_by_subject ON order_known (account_id, subject_id, email, n);
-- And with the erasures that an identifier was asked for with.
DROP INDEX erasure_asked;
CREATE INDEX erasure_asked ON erasure (account_id, asked, seq);
