//! Limits of searches: their index, rules, synonyms and attributes.

use std::time::Duration;

/// Products of a catalogue whose index is built as soon as a feed is published; a smaller index is built while the
/// first search waits a moment.
pub const SEARCH_BEGUN_PRODUCTS: i64 = 1000;
/// The body of a request with rules.
pub const RULES_BODY_BYTES: usize = 2 * SEARCH_RULES_BYTES;
/// Rules of a shop's search.
pub const SEARCH_RULES: usize = 5_000;
/// Bytes of all rules, as they are stored.
pub const SEARCH_RULES_BYTES: usize = 1024 * 1024;
/// Bytes of a text of a rule.
pub const SEARCH_RULE_TEXT_BYTES: usize = 1_000;
/// Rules that name products by filters and act on one search: each hit is checked against all.
pub const SEARCH_RULE_LOOKS: usize = 16;
/// Bytes for each product that an open index may hold for the products that rules name.
pub const SEARCH_NAMED_BYTES: usize = 8;
/// A part of an index with fewer products holds as much as one with so many.
pub const SEARCH_NAMED_PRODUCTS_MIN: usize = 4_096;
/// Sample searches of one report on product quality.
pub const QUALITY_QUERIES: usize = 50;
/// Products with each fault that are named.
pub const QUALITY_ROWS: usize = 1_000;
/// Bytes of a title in a row of that look, and of a name of an attribute that is noted.
pub const QUALITY_TEXT_BYTES: usize = 200;
/// Attribute names for which it is noted whether only one product has them.
pub const QUALITY_ATTRIBUTES: usize = 100_000;
/// Banners of one answer.
pub const SEARCH_RULE_BANNERS: usize = 10;
/// Pause between two changes of the rules of an account: each makes all servers read accounts again.
pub const SEARCH_RULES_DURATION: Duration = Duration::from_millis(500);
/// Words of the query of a rule.
pub const SEARCH_RULE_WORDS: usize = 10;
/// Products that a rule pins.
pub const SEARCH_RULE_PINS: usize = 50;
/// Lists of rules that are kept, so that a change can be undone.
pub const SEARCH_RULE_VERSIONS: i64 = 50;
/// An index gets new statistics when more than one row in so many came since they were made.
pub const SEARCH_CHANGED_PART: u64 = 10;
/// Rows that an index takes in any case before that, so that a small shop's is not always being made.
pub const SEARCH_CHANGED_ROWS: u64 = 50;
/// An index is rebuilt at once when one step changes more than one product in so many.
pub const SEARCH_STEP_PART: u64 = 4;
/// Attributes that a shop may name for facets and orders.
pub const SEARCH_ATTRIBUTES: usize = 100;
/// The name of such an attribute.
pub const SEARCH_ATTRIBUTE_BYTES: usize = 200;
/// Origins of pages whose scripts may search.
pub const SEARCH_ORIGINS: usize = 100;
/// A shop's list of synonyms: every server that knows the shop holds it.
pub const SEARCH_SYNONYMS_BYTES: usize = 64 * 1024;
/// Lines of it, without comments.
pub const SEARCH_SYNONYM_LINES: usize = 2_000;
/// Pairs of words in it that are not the same.
pub const SEARCH_WORD_PAIRS: usize = 200;
/// Words of a shop that are shown as forms of one word.
pub const SEARCH_WORD_FORMS: usize = 50;
/// Words and phrases of such a line.
pub const SEARCH_SYNONYMS_OF_LINE: usize = 20;
/// Words of a phrase in it.
pub const SEARCH_SYNONYM_WORDS: usize = 8;
/// The beginning of a text in which words are marked: a description may be as long as its row.
pub const SEARCH_MARKED_BYTES: usize = 64 * 1024;
/// Compounds that are searched for one word because they end in it: each is a list that a search reads.
pub const SEARCH_ENDINGS_OF_WORD: usize = 64;
/// The same for all words of a search.
pub const SEARCH_ENDINGS: usize = 128;
/// Synonyms that are searched for one word: each is a list that a search reads.
pub const SEARCH_SYNONYMS_OF_WORD: usize = 32;
