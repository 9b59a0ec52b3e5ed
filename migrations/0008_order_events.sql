-- What an order holds is noted as an event once the shop shows products: the number of that event, null while there is
-- none, and whether the order was looked at. Earlier orders are, when the node starts.
ALTER TABLE order_known ADD COLUMN event_n INTEGER;
ALTER TABLE order_known ADD COLUMN is_noted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX order_known_waiting ON order_known (account_id, tag) WHERE is_noted = 0;
