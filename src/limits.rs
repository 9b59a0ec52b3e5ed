//! Every limit a user can meet, in one place; the unit is the last word of the name.

mod console;
mod events;
mod foreign_feeds;
mod listings;
mod node;
mod search;
mod webhooks;
mod work;

use std::time::Duration;

pub use self::console::*;
pub use self::events::*;
pub use self::foreign_feeds::*;
pub use self::listings::*;
pub use self::node::*;
pub use self::search::*;
pub use self::webhooks::*;
pub use self::work::*;

/// Largest delta request, in bytes of body: the size that the documented clients are built for.
pub const DELTA_BODY_BYTES: usize = 256_000;
/// Largest body of every other JSON request: 1,000 tokens of 36 characters fit with room to spare.
pub const REQUEST_BODY_BYTES: usize = 64 * 1024;
/// Largest feed as sent on the wire.
pub const FEED_WIRE_BYTES: u64 = 2 << 30;
/// Largest feed after decompression.
pub const FEED_DECODED_BYTES: u64 = 20 << 30;
/// Most decoded bytes for one byte on the wire (checked after the first MiB): a bomb is refused early.
pub const FEED_RATIO_MAX: u64 = 200;
/// Largest single row of a feed, in bytes of JSON: one row is held in memory whole.
pub const FEED_ROW_BYTES: usize = 4 << 20;
/// Deepest nesting inside one row.
pub const FEED_ROW_DEPTH_LEVELS: usize = 64;
/// Most names in a row, those of the objects within it included where these are read at once: one row of 4 MiB could
/// have 500,000, which take ten times the room of its text.
pub const FEED_ROW_FIELDS: usize = 65_536;
/// Longest whole fetch of a feed.
pub const FETCH_TOTAL_DURATION: Duration = Duration::from_secs(2 * 60 * 60);
/// Longest wait for a connection, TLS included.
pub const FETCH_CONNECT_DURATION: Duration = Duration::from_secs(10);
/// Longest wait for the response head.
pub const FETCH_HEAD_DURATION: Duration = Duration::from_secs(30);
/// Longest silence in the middle of a feed's body.
pub const FETCH_IDLE_DURATION: Duration = Duration::from_secs(30);
/// Slowest tolerated feed, averaged over half a minute: a dripping server is given up.
pub const FETCH_RATE_MIN_BYTES_PER_SECOND: u64 = 4 * 1024;
/// Most redirects followed for one feed.
pub const FETCH_REDIRECTS: usize = 5;
/// Time after its submission for which a URL feed is retried.
pub const FEED_WINDOW_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest accepted URL.
pub const FEED_URL_BYTES: usize = 2048;
/// Longest identifier of a person.
pub const IDENTIFIER_BYTES: usize = 254;
/// Longest product, category or brand id.
pub const ITEM_ID_BYTES: usize = 512;
/// Most tokens in one status request.
pub const STATUS_TOKENS: usize = 1000;
/// Time that the status of a submission is kept.
pub const STATUS_KEPT_DURATION: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Largest piece of an upload, in bytes of form-encoded body.
pub const UPLOAD_PIECE_BYTES: usize = 32 << 20;
/// Bytes of a feed that a command or the console sends in one piece. A form writes a byte with three letters at most,
/// so the request stays below the 1 MiB that a proxy such as nginx lets through unless told otherwise.
pub const UPLOAD_SENT_BYTES: usize = 256 << 10;
const _: () = assert!(FEED_WIRE_BYTES / UPLOAD_SENT_BYTES as u64 <= UPLOAD_PIECES as u64);
/// Longest time for the whole body of a piece: 280 KB/s at the least for the largest.
pub const UPLOAD_PIECE_DURATION: Duration = Duration::from_secs(120);
/// Memory that bodies may take together while they arrive or are on their way to the disk; further ones wait.
pub const REQUEST_MEMORY_BYTES: usize = 192 << 20;
/// Share of one account: the largest piece, as it was sent and decoded.
pub const REQUEST_MEMORY_OF_ACCOUNT_BYTES: usize = 2 * UPLOAD_PIECE_BYTES;
/// Share of one client address, until the account of the request is known.
pub const REQUEST_MEMORY_OF_CLIENT_BYTES: usize = 16 << 20;
/// Memory that all these addresses may take together; the rest is reserved for authenticated requests.
pub const REQUEST_MEMORY_OF_CLIENTS_BYTES: usize = REQUEST_MEMORY_BYTES / 3;
/// Longest wait of a body for that memory: the sender of a piece waits 5 s for the answer.
pub const REQUEST_MEMORY_WAIT_DURATION: Duration = Duration::from_secs(4);
/// Longest wait of a body whose account is known: that account's other bodies end one after the other.
pub const REQUEST_MEMORY_ACCOUNT_WAIT_DURATION: Duration = Duration::from_secs(30);
/// Bytes of every body that count for no share: a connection holds them anyway.
pub const REQUEST_MEMORY_FREE_BYTES: usize = 16 * 1024;
/// Length of the beginning of a larger body in which its credentials have to stand.
pub const CREDENTIALS_WITHIN_BYTES: usize = 64 * 1024;
/// Feeds that are fetched at once, each at the pace of its server.
pub const FETCHES_AT_ONCE: usize = 32;
/// Fetches of one account: slow servers of one shop leave places for the feeds of others.
pub const FETCHES_OF_ACCOUNT: usize = 2;
/// Room on the disk that feeds may take together while they are fetched and wait to be read: as many of the largest as
/// are read at once.
pub const SPOOL_BYTES: usize = FEEDS_AT_ONCE * SPOOL_OF_ACCOUNT_BYTES;
/// Share of one account: the largest feed.
pub const SPOOL_OF_ACCOUNT_BYTES: usize = FEED_WIRE_BYTES as usize;
/// Longest wait for that room; then the feed is fetched again later.
pub const SPOOL_WAIT_DURATION: Duration = Duration::from_secs(10);
/// Longest wait of a fetched feed for its turn to be read; then it is fetched again.
pub const READING_WAIT_DURATION: Duration = Duration::from_secs(2 * 60 * 60);
/// Feeds that are read at once, wherever they came from; and uploads that wait for that or are published. Each account
/// has one of both.
pub const FEEDS_AT_ONCE: usize = 4;
/// Requests that look through a whole catalogue at once; as many again may ask what products lack, and as many for
/// reports.
pub const LOOKS: usize = 2;
/// Time that one account's erasures delete before those of others have a turn.
pub const ERASURE_TURN_DURATION: Duration = Duration::from_secs(1);
/// Sub-limit of [`LOOKS`] for one account: the other turn is for another account.
pub const LOOKS_OF_ACCOUNT: usize = 1;
/// Longest name of an upload.
pub const UPLOAD_NAME_BYTES: usize = 200;
/// Uploads of one account that may be open at once.
pub const UPLOADS_OPEN: i64 = 100;
/// Pieces of one upload: all their rows go in one transaction. The largest feed has room in pieces of 107 kB.
pub const UPLOAD_PIECES: i64 = 20_000;
/// Quota that a piece takes in addition to its bytes: the disk space for which a file system usually has one inode,
/// which its file takes however small it is.
pub const UPLOAD_PIECE_QUOTA_BYTES: i64 = 16_384;
/// Longest wait of a sweep of unneeded files for holds that were there when it began.
pub const SWEEP_PATIENCE_DURATION: Duration = Duration::from_secs(5);
/// An upload that nothing was added to for this long is given up.
pub const UPLOAD_IDLE_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
/// The same while an erasure waits for it.
pub const UPLOAD_IDLE_ERASURE_DURATION: Duration = Duration::from_secs(15 * 60);
/// A feed whose section has a smaller share of good rows than this fails, in percent.
pub const FEED_GOOD_ROWS_PERCENT: u64 = 90;
/// Row issues of a feed kept one by one; all are counted. Each takes about 90 bytes of the database for 30 days: with
/// ten times as many, a bad feed every hour would fill gigabytes, and removing one would hold up writers.
pub const ROW_ISSUES_KEPT: usize = 10_000;
/// Categories of a feed, and names of some in its products, that are compared: 8 bytes each, and twice as much for
/// their table. Beyond these, products that name categories by their titles are not reported.
pub const CATEGORIES_NOTICED: usize = 50_000;
/// Memory for the ids of a feed's products and the ids that they list, of which it is noticed that one is the other: 16
/// bytes for a product and 8 for an id in its lists, so that 50,000 products of 100 variants have room. With its growth
/// it stays below 64 MiB. Beyond it nothing is compared, which is told.
pub const LISTED_IDS_BYTES: usize = 48 << 20;
/// Most members of a request's JSON object.
pub const REQUEST_FIELDS: usize = 64;
/// Letters of a field's name that are repeated where it stands twice in a request.
pub const FIELD_NAMED_CHARACTERS: usize = 40;
/// Largest head of a request.
pub const HEAD_BYTES: usize = 16 * 1024;
/// Most headers of a request.
pub const HEAD_FIELDS: usize = 100;
/// Longest wait for a request's head, from the first moment of the connection or the end of the last answer.
pub const HEAD_DURATION: Duration = Duration::from_secs(10);
/// Slowest tolerated body, averaged: a dripping client keeps no memory and no connection. Every line of a shop is
/// faster.
pub const BODY_RATE_MIN_BYTES_PER_SECOND: usize = 8 * 1024;
/// Span over which [`BODY_RATE_MIN_BYTES_PER_SECOND`] is averaged, and longest silence: a phone may stall for moments.
pub const BODY_RATE_DURATION: Duration = Duration::from_secs(10);
/// Longest time for a whole body of a JSON request: a quarter of a MiB, so 26 KB/s at the least.
pub const BODY_TOTAL_DURATION: Duration = Duration::from_secs(10);
/// Longest wait for a client that does not take its answer.
pub const WRITE_DURATION: Duration = Duration::from_secs(10);
/// Bytes that are read and thrown away after an early refusal, so that the client receives the sentence …
pub const LINGER_BYTES: usize = 1 << 20;
/// … and the longest time for it.
pub const LINGER_DURATION: Duration = Duration::from_secs(1);
/// Longest wait of `/ready` for the store.
pub const READY_DURATION: Duration = Duration::from_secs(2);
/// Most open connections; further ones wait in the kernel's queue.
pub const CONNECTIONS: usize = 8192;
/// Connections of one client address: many people may share one, and sixteen addresses have to work together to hold
/// all.
pub const CONNECTIONS_OF_CLIENT: usize = 512;
/// Longest wait of a stopping server for running requests.
pub const DRAIN_DURATION: Duration = Duration::from_secs(10);
/// Failed credentials answered with 403 for one client address; beyond them 429.
pub const FAILED_CREDENTIALS_PER_MINUTE: u32 = 60;
/// Maximum age of a node's cache of an account's keys.
pub const KEYS_REMEMBERED_DURATION: Duration = Duration::from_millis(500);
/// Accounts whose keys a node remembers.
pub const KEYS_REMEMBERED: usize = 20_000;
/// Maximum age of an account's size in a node's memory, for deltas and feeds by URL: pieces of uploads count it.
pub const HOLDING_REMEMBERED_DURATION: Duration = Duration::from_secs(1);
/// Part of the data folder's volume that each of several accounts without a quota may hold: one in so many.
pub const QUOTA_PART: u64 = 4;
/// Live secrets of one account while one is being rotated out.
pub const LIVE_SECRETS: usize = 2;
/// Time that an old secret stays valid after a new one, unless the operator says how long.
pub const SECRET_OVERLAP_HOURS: u32 = 24;
/// Longest time the operator may say: 90 days.
pub const SECRET_OVERLAP_MAX_HOURS: u32 = 90 * 24;
/// Longest name that people know a shop by: it stands in a heading.
pub const DISPLAY_NAME_BYTES: usize = 200;
/// Longest contact of a shop: an email address, a URL or a postal address in one line.
pub const CONTACT_BYTES: usize = 400;
/// Snapshots of a section kept for going back.
pub const SNAPSHOTS_KEPT: usize = 3;
/// Rows written by one unit of work.
pub const UNIT_ROWS: usize = 500;
/// Profiles stored by one unit of work, four rows each, if its time suffices: the fewer units, the seldomer is the
/// same page of an index written.
pub const UNIT_PROFILES: usize = 1024;
/// Time after which a unit of work that stores people or applies deltas takes nothing more: no one waits longer for
/// the only writer.
pub const UNIT_DURATION: Duration = Duration::from_millis(20);
/// Deltas read at once from an account's queue: of small ones, of two rows each, as many as one unit of work applies.
pub const DELTAS_READ: usize = UNIT_ROWS / 2;
/// Tries of a job before it is given up.
pub const JOB_TRIES: i64 = 5;
/// Times a job is taken up when each time the whole process ended instead (out of memory, power, a signal).
pub const JOB_CLAIMS: i64 = 10;
/// Most pairs of a product and a category in one delta: each pair is looked up and shown from then on.
pub const MEMBERSHIPS: usize = 10_000;
/// Items on one page of a list.
pub const PAGE_ITEMS: usize = 200;
/// Longest wait at the end of a feed or a delta for the projections of the catalogue; slower ones go on by themselves.
pub const DERIVED_WAIT_DURATION: Duration = Duration::from_secs(10);
/// Tries in a row to catch up with a catalogue that changes meanwhile.
pub const CATCH_UP_TRIES: usize = 4;
/// Bytes of rows that a follower of a catalogue reads at once: with them a page is full.
pub const FOLLOWED_PAGE_BYTES: usize = 1 << 20;
/// Memory of a node for the lists of live items: about two million items.
pub const LISTED_BYTES: usize = 64 << 20;
/// Search indices that are written at once: each takes memory and work.
pub const SEARCH_WRITERS: usize = 4;
/// Search indices that are open at once.
pub const SEARCH_INDICES: usize = 128;
/// Searches that are computed at once.
pub const SEARCHES_AT_ONCE: usize = 8;
/// Sub-limit for one account.
pub const SEARCHES_OF_ACCOUNT: usize = 4;
/// Wait of a search for its turn.
pub const SEARCH_WAIT_DURATION: Duration = Duration::from_secs(2);
/// Searches a second of one client address that shows no secret.
pub const SEARCHES_PER_SECOND: u32 = 60;
/// Searches of such an address that may come at once.
pub const SEARCHES_AT_A_STROKE: u32 = 600;
/// A token in which a shop says who a shopper is.
pub const USER_TOKEN_BYTES: usize = 4096;
/// Longest remaining lifetime of such a token.
pub const USER_TOKEN_DURATION: Duration = Duration::from_secs(60 * 60);
/// Most that a shop's clock may be ahead of this one.
pub const CLOCKS_APART_DURATION: Duration = Duration::from_secs(60);
/// Longest query, as it was typed.
pub const SEARCH_QUERY_BYTES: usize = 16_384;
/// Words of a query that are looked for.
pub const SEARCH_WORDS: usize = 32;
/// Filters of a search.
pub const SEARCH_FILTERS: usize = 31;
/// Values of a filter.
pub const SEARCH_FILTER_VALUES: usize = 200;
/// Facets of a search.
pub const SEARCH_FACETS: usize = 30;
/// Values of a facet that are answered.
pub const SEARCH_FACET_VALUES: usize = 200;
/// Categories that are counted before those that are answered are chosen.
pub const SEARCH_COUNTED_CATEGORIES: usize = 5_000;
/// Hits on a page with their reasons: each is read again.
pub const SEARCH_EXPLAINED_HITS: usize = 50;
/// Names of fields that an answer needs.
pub const SEARCH_FIELDS: usize = 100;
/// Hits on a page.
pub const SEARCH_PAGE_HITS: usize = 250;
/// Hits that pages lead to.
pub const SEARCH_HITS: usize = 10_000;
/// Bytes that the window over a feed may hold beyond one row of the largest size.
pub const FEED_WINDOW_SPARE_BYTES: usize = 1 << 20;
/// Deepest nesting for which the end of an (already bad) row is still looked for: one bit a level.
pub const FEED_CUT_DEPTH_LEVELS: usize = 1 << 20;
/// Longest name of a field that is repeated in a row's issue.
pub const ISSUE_FIELD_BYTES: usize = 120;
/// Keys kept ready for subjects and jobs; the pool is filled again when half are taken. The other half is twice what a
/// unit of work takes at most, so that the next one need not wait.
pub const KEY_POOL_SLOTS: usize = 4 * UNIT_PROFILES;
/// Slots by which the key file grows at a time (256 KiB): rare enough that its fsync does not matter.
pub const KEY_FILE_GROWTH_SLOTS: u32 = 4096;
/// Most slots of a key file (4 GiB): a wrong slot number in a row must not make it grow without end.
pub const KEY_FILE_SLOTS: u32 = 1 << 26;
/// Longest wait for a key while the pool is empty: a disk that needs longer is failing.
pub const KEY_POOL_WAIT_DURATION: Duration = Duration::from_secs(5);
/// Pause after a refill of the pool failed (a full disk), before it is tried again.
pub const KEY_REFILL_PAUSE_DURATION: Duration = Duration::from_secs(1);
/// Ports a feed may be fetched from, unless the address lies in a network the operator trusts.
pub const FEED_PORTS: [u16; 4] = [80, 443, 8080, 8443];
/// Decoded bytes that are free before [`FEED_RATIO_MAX`] is checked: small feeds may compress as they like.
pub const FEED_RATIO_FREE_BYTES: u64 = 1 << 20;
/// Most compressions around one feed: a `.json.gz` sent with `Content-Encoding: gzip` has two.
pub const FEED_COMPRESSIONS: usize = 2;
/// Largest window of a zstd feed, as a power of two: 8 MiB of memory a compression, the limit of servers in RFC 9659
/// and the need of levels up to 19.
pub const FEED_ZSTD_WINDOW_LOG2: u32 = 23;
/// Span over which [`FETCH_RATE_MIN_BYTES_PER_SECOND`] is averaged.
pub const FETCH_RATE_DURATION: Duration = Duration::from_secs(30);
/// Pieces of a feed that wait between the network and its reader (a piece is at most about 400 KB).
pub const FETCH_PIECES_WAITING: usize = 4;
/// Longest `ETag` or `Last-Modified` that is kept for the next fetch.
pub const FETCH_VALIDATOR_BYTES: usize = 128;
/// Rows of a snapshot are compressed in pieces of this size (decoded): large enough to compress well, small
/// enough that reading one row decodes little.
pub const SNAPSHOT_FRAME_BYTES: usize = 64 * 1024;
/// Largest normalised row in a snapshot: the largest row of a feed, with room for the additions of normalising.
pub const SNAPSHOT_ROW_BYTES: usize = 2 * FEED_ROW_BYTES;
/// Longest id in a snapshot: of an account price, which is a tag of 32 digits, `|` and the id of a product.
pub const SNAPSHOT_ID_BYTES: usize = ITEM_ID_BYTES + 33;
/// Index entries sorted in memory at a time while a snapshot is written: 200,000 of 40 bytes are 8 MB.
pub const SNAPSHOT_RUN_ENTRIES: usize = 200_000;
/// Longest text that is looked up as an access key; the memory of unknown ones stays small.
pub const ACCESS_KEY_BYTES: usize = 64;
/// Profiles of a feed are stored in units of work that end with the one that passes this size.
pub const UNIT_PROFILES_BYTES: usize = 1 << 20;
/// Orders older than this are ignored: the last twelve months, a leap day counted.
pub const ORDER_AGE_DURATION: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// Most that an order may lie in the future: dates without a zone are read as UTC, and no clock is 14 h ahead of it.
pub const ORDER_AHEAD_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
/// Most lines of one order: the order is held in memory whole, and sealed again when more lines come later.
pub const ORDER_LINES: usize = 1000;
/// Streams of events that are open at once: each asks the store twice a second.
pub const EVENT_STREAMS: usize = 256;
/// Streams of one account.
pub const EVENT_STREAMS_OF_ACCOUNT: usize = 16;
/// Longest life of a stream of events; who still watches asks again.
pub const EVENT_STREAM_DURATION: Duration = Duration::from_secs(60 * 60);
/// Largest row of a delta that is kept as it was sent until the next feed, together with its normal form.
pub const RAW_ROW_KEPT_BYTES: usize = 16 * 1024;

/// Rows of a section whose id comes again later may be this part of it, in percent: more is an export that joins...
pub const FEED_REPEATED_ROWS_PERCENT: u64 = 5;
/// ...where there are at least so many rows: of fewer one is that much.
pub const FEED_REPEATED_ROWS_MIN: u64 = 20;
/// A feed may remove this part of the products, in percent, unless the account says otherwise...
pub const REMOVAL_GUARD_PERCENT: i64 = 80;
/// ...of a catalogue of at least so many: a small one is often rebuilt from scratch.
pub const REMOVAL_GUARD_ITEMS: i64 = 500;
/// Feeds of an account that were checked and are kept to be published later.
pub const HELD_FEEDS: usize = 3;
/// Items shown of each kind of difference between a feed and the live catalogue.
pub const DIFFERENCE_EXAMPLES: usize = 20;
/// Row issues of a delta kept one by one: many deltas are read at once, and each is stored in one unit of work.
pub const DELTA_ISSUES_KEPT: usize = 1000;

/// Longest wait for a turn to look through a whole catalogue.
pub const LOOK_WAIT_DURATION: Duration = Duration::from_secs(10);
/// Ids and SKUs of variants by which a product is found: each is a small row where a delta brings it, in one
/// transaction.
pub const CHILD_KEYS: usize = 5000;
/// Products that deltas gave one variant, of which it is looked up whether they still have it, the newest first: a
/// variant moves rarely, and each product costs a reading of its row. The statement `change_by_child` leaves out one
/// fewer.
pub const CHILD_PARENTS_TRIED: usize = 5;
/// Variants that a product lists as objects. All are found by id and SKU, and there is room for keys of the other
/// lists.
pub const VARIANTS: usize = 2000;
const _: () = assert!(2 * VARIANTS <= CHILD_KEYS);
/// Options of a variant, and options of a product that have swatches: a page lets shoppers choose by a few.
pub const VARIANT_OPTIONS: usize = 20;
/// Attributes of a variant: each is a name in a map, in each of thousands of variants in a row.
pub const VARIANT_ATTRIBUTES: usize = 100;
/// Longest value of an option or an attribute of a variant: there are thousands in a row, each a choice and no text.
pub const VARIANT_VALUE_BYTES: usize = 200;
/// Most rows about variants in one delta: each looks its product up, and is a change of its own until the next feed.
pub const VARIANT_CHANGES: usize = 10_000;
/// Memory for the variants of the products that a delta changes; a product that is named again later is read again.
pub const VARIANTS_KNOWN_BYTES: usize = 16 << 20;
/// Longest name of an option.
pub const OPTION_NAME_BYTES: usize = 100;

/// Submissions of one URL that wait for the same fetch: as many rows end with it in one transaction.
pub const FEED_FOLLOWERS: i64 = 400;
/// Entries of the ledger read at once while it is exported, 200 bytes each.
pub const LEDGER_PAGE_ENTRIES: u64 = 2_000;

/// People whose identifiers a request to forget opens before it is answered; of the rest, where more share an
/// address, the identifiers are shut when its work begins.
pub const FORGET_OPENED: usize = 100;
/// Requests shown for each kind of data that a forget leaves.
pub const FORGET_LEFT_TOLD: usize = 20;
/// Erasures of an account that are worked on at once: one look through the catalogue and the files serves them all.
pub const ERASURES_AT_ONCE: i64 = 200;

/// Age at which a key-encryption epoch is followed by the next: once a day, with an hour left for trying again.
pub const KEY_EPOCH_DURATION: Duration = Duration::from_secs(23 * 60 * 60);
/// Room on the disk that is kept for erasures: the size of the database's log for the rows of one unit of work.
pub const BALLAST_BYTES: u64 = 8 << 20;
/// Longest wait of an erasure for uploads that were begun before it and go on.
pub const ERASURE_WAIT_DURATION: Duration = Duration::from_secs(24 * 60 * 60);

#[cfg(test)]
mod tests;
