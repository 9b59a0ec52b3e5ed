//! Text: how words are found in titles and queries, in the language of the shop.
//!
//! One [`Analyser`] a language is enough for a node: it holds no text of a shop, only a cache of stems. A shop that
//! keeps words apart has its own.

mod analyser;
mod beside;
mod fold;
mod function_words;
mod language;
mod number;
mod number_lists;
mod signs;
mod speech;
mod stem;
mod typed;
mod units;

#[cfg(test)]
mod tests;

pub use self::analyser::{Analyser, TextPart, TextToken};
pub use self::beside::{BesideKind, BesideToken, DECIMAL, SIGN};
pub use self::fold::{fold_identifier, fold_text, is_spaced};
pub use self::language::ShopLanguage;
pub use self::signs::{index_signs, is_blank};
pub use self::speech::{find_speech, is_word_of_speech};
pub use self::typed::{TypedText, TypedWord};
