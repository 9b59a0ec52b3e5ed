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

pub use self::analyser::{Analyser, TextToken};
pub use self::fold::{fold_identifier, fold_text, is_spaced};
pub use self::language::ShopLanguage;
pub use self::signs::{index_signs, is_blank};
