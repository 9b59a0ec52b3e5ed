//! Text: how words are found in titles and queries, in the language of the shop.
//!
//! One [`Analyser`] a language is enough for a node: it holds no text of a shop, only a cache of stems.

mod analyser;
mod fold;
mod function_words;
mod language;
mod plural;
mod signs;
mod stem;
mod units;

#[cfg(test)]
mod tests;

pub use analyser::{Analyser, Token};
pub use fold::{folded, is_spaced, squeezed};
pub use language::Language;
pub use signs::{is_blank, signs};
