-- Requests with events that have a key of the shop's: one that is sent again within a day is known by it. They go by the UTC
-- day, counted from 1970, on which they came.
CREATE TABLE event_request (
    account_id INTEGER NOT NULL,
    tag BLOB NOT NULL,
    day INTEGER NOT NULL,
    PRIMARY KEY (account_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_request_day ON event_request (day);

-- Browsers in which somebody is logged in who was forgotten: what is done there is nobody else's, and is not stored until the
-- log-out.
CREATE TABLE shut_browser (
    account_id INTEGER NOT NULL,
    tag BLOB NOT NULL,
    PRIMARY KEY (account_id, tag)
) STRICT, WITHOUT ROWID;
