//! Every limit of the program, in one place; the unit is the last word of the name.

use std::time::Duration;

/// Largest delta request, in bytes of body: what the documented clients are built for.
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
/// How long a URL feed is retried after its submission.
pub const FEED_WINDOW_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest accepted URL.
pub const FEED_URL_BYTES: usize = 2048;
/// Longest identifier of a person.
pub const IDENTIFIER_BYTES: usize = 254;
/// Longest product, category or brand id.
pub const ITEM_ID_BYTES: usize = 512;
/// Most tokens in one status request.
pub const STATUS_TOKENS: usize = 1000;
/// How long the status of a submission is kept.
pub const STATUS_KEPT_DURATION: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// A feed whose section has a smaller share of good rows than this fails, in percent.
pub const FEED_GOOD_ROWS_PERCENT: u64 = 90;
/// Row issues kept one by one for a submission; all of them are counted.
pub const ROW_ISSUES_KEPT: usize = 1000;
/// Rows of a snapshot are compressed in pieces of this size (decoded): large enough to compress well, small
/// enough that reading one row decodes little.
pub const SNAPSHOT_FRAME_BYTES: usize = 64 * 1024;
/// Largest normalised row in a snapshot: the largest row of a feed, with room for what normalising adds.
pub const SNAPSHOT_ROW_BYTES: usize = 2 * FEED_ROW_BYTES;
/// Index entries sorted in memory at a time while a snapshot is written: 200,000 of 40 bytes are 8 MB.
pub const SNAPSHOT_RUN_ENTRIES: usize = 200_000;
