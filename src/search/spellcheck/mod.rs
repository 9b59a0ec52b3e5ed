//! Typing errors: the words of a query that are corrected, and those that never are.
//!
//! A word is *known* when its stem stands in any field of a product. A known word is never touched, and a word of the
//! language that the shop just does not have is never replaced without a word, nor is one that may be a name: "did you
//! mean" is offered for it. A word with synonyms from the shop counts as known. The rule: docs/ranking.md,
//! "Correction"; its figures: docs/relevance.md, "Measured".

mod candidates;
mod corrector;
mod counter;
mod dictionary;
mod distance;
mod mistyped;
mod segments;
mod statistics;

#[cfg(test)]
mod tests;

pub use self::corrector::{ChangeKind, CorrectedQuery, Corrector, ExtraKnowledge, WordCorrection};
pub use self::counter::{ProductTexts, WordCounter, WordField};
pub use self::dictionary::Dictionary;
pub use self::statistics::{WordEntry, WordStatistics};
