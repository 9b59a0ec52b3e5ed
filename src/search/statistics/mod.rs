//! Statistics of a whole shop, by which search ranks, in one blob apart from the index (docs/ranking.md, "Statistics"):
//! the number of products, in how many of them each stem stands, lengths of fields, words for correction, phrases for
//! completion and the attributes that get columns. Two indices with equal products and statistics give equal answers.

mod bag_of_words;
mod blob;
mod fields;
mod frequencies;
mod patterns;
#[cfg(test)]
mod tests;
mod weights;
mod word_counts;

pub use self::bag_of_words::{
    JOINED_MIN_BYTES, JoinedWords, NoJoinedWords, PAIR, UNIT, WordBag, WordMap, WordSet, each_text, key_of,
};
pub use self::fields::{FIELDS, FieldCombination, SearchField};
pub use self::patterns::{FrequencyPattern, PatternMap, Patterns, pattern_of};
pub use self::weights::{FieldLengths, Norms, Weights, pack_lengths};

pub use self::frequencies::Statistics;
pub use self::word_counts::StatisticsCounter;
