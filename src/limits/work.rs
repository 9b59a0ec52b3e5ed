//! The limits of the cost of one request, and of waiting or held data for it.

use std::time::Duration;

/// Requests of one account that may wait for the same share; further ones are refused at once. The newest one of the
/// client address with most of them gives up its place to another client of the shop.
pub const WAITING_OF_ACCOUNT: usize = 128;
/// Searches kept for accounts that compute none, so that a new one does not wait for those that ask most.
pub const SEARCHES_FOR_NEWCOMERS: usize = 2;
/// Steps of a search: a look into the list of a word, at a product, or at some variants. Some 10 ns each; a search of
/// five words in 300,000 products takes 5 million. Counted, not timed, so that the same search always finds the same.
pub const SEARCH_STEPS: u64 = 20_000_000;
/// Variants that one step compares with one filter or facet.
pub const SEARCH_STEP_VARIANTS: usize = 8;
/// Steps of keeping a price, a number or a group of variants until the end of a search: bounds its memory to some tens
/// of bytes a step.
pub const SEARCH_STEPS_KEPT: usize = 2;
/// Lists of words that a search reads: those of the query first, then synonyms, word by word in turn.
pub const SEARCH_LISTS: usize = 256;
/// A longer body is not read by the threads that serve all, but apart, in a turn of its account.
pub const BODY_READ_AT_ONCE_BYTES: usize = 16 * 1024;
/// Long bodies that are read at once …
pub const LONG_BODIES_AT_ONCE: usize = 8;
/// … and those of one account.
pub const LONG_BODIES_OF_ACCOUNT: usize = 4;
/// Long bodies of one account that wait for a turn.
pub const LONG_BODIES_WAITING: usize = 1024;
/// Wait of a long body for its turn to be read.
pub const LONG_BODY_WAIT_DURATION: Duration = Duration::from_secs(2);
/// Elements of a list in a call of a plugin that are read; later ones are neither read nor counted.
pub const SERVERSIDE_ELEMENTS: usize = 1_000;
/// An answer with hits, zones or rows: parts without room are left out, and the answer says so.
pub const ANSWER_BYTES: usize = 4 << 20;
/// Bytes of the index that are read for such an answer: fields are picked out of whole rows.
pub const ANSWER_READ_BYTES: usize = 8 * ANSWER_BYTES;
/// Memory of large answers until their readers have taken them.
pub const ANSWERS_BYTES: usize = 64 << 20;
/// Share of one account; a larger answer takes the whole share.
pub const ANSWERS_OF_ACCOUNT_BYTES: usize = 16 << 20;
/// Share of one client address that shows no key of an account.
pub const ANSWERS_OF_CLIENT_BYTES: usize = 4 << 20;
/// Share of one client address without a secret, whatever accounts it names: two slow readers leave an account half of
/// its own.
pub const ANSWERS_OF_ADDRESS_BYTES: usize = 8 << 20;
/// Large answers of one account that wait for that memory: each is made already.
pub const ANSWERS_WAITING: usize = 8;
/// Bytes of each answer that are not counted: a connection holds them anyway.
pub const ANSWER_FREE_BYTES: usize = 64 * 1024;
/// Wait of an answer for that memory.
pub const ANSWER_WAIT_DURATION: Duration = Duration::from_secs(2);
/// Most open connections to the console, which are not those of shops …
pub const CONSOLE_CONNECTIONS: usize = 256;
/// … and those of one client address: a browser opens six.
pub const CONSOLE_CONNECTIONS_OF_CLIENT: usize = 64;
/// Descriptors that are kept for the console and the control socket where the system has no more.
pub const DESCRIPTORS_KEPT: usize = 16;
/// Pause between two lines of the log that say that the system has no more descriptors.
pub const DESCRIPTORS_TOLD_DURATION: Duration = Duration::from_secs(10);
/// Events a second that the pages of an account tell, all addresses together: two million a day …
pub const PAGE_EVENTS_PER_SECOND: i64 = 25;
/// … and those that may come at once: the busiest hours of a large shop.
pub const PAGE_EVENTS_AT_A_STROKE: i64 = 250_000;
