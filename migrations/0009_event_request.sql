-- Requests with events that have a key of the shop's: one that is sent again within a day is known by it. They go by the UTC
-- day, counted from 1970, on which they came.
CREATE TABLE event_request (
    account_id INTEGER NOT NULL,
    tag BLOB NOT NULL,
    day INTEGER NOT NULL,
    PRIMARY KEY (account_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_request_day ON event_request (day);
