//! Statistics of a whole shop, by which search ranks, in one blob apart from the index (docs/ranking.md, "Statistics"):
//! the number of products, in how many of them each stem stands, heads of compounds, lengths of fields, words for
//! correction, phrases for completion and the attributes that get columns. Two indices with equal products and
//! statistics give equal answers.

mod bag_of_words;
mod blob;
mod compound_parts;
mod compound_rules;
mod compound_splitter;
mod compounds;
mod fields;
mod frequencies;
mod joins;
mod part_counts;
mod patterns;
#[cfg(test)]
mod tests;
mod weights;
mod word_counts;

pub use self::bag_of_words::{
    JoinedWords, NoJoinedWords, PAIR, UNIT, WordBag, WordMap, WordSet, each_text, has_prefix, key_of,
};
pub use self::compound_parts::{CompoundParts, HEAD, MODIFIER};
pub use self::compound_splitter::{CompoundSplitter, PartsByWord};
pub use self::compounds::{Compounds, DerivedWords};
pub use self::fields::{FIELDS, FieldCombination, SearchField};
pub use self::joins::may_join;
pub use self::patterns::{FrequencyPattern, PatternMap, Patterns, pattern_of};
pub use self::weights::{FieldLengths, Norms, Weights, pack_lengths, saturate};

pub use self::frequencies::Statistics;
pub use self::word_counts::StatisticsCounter;
