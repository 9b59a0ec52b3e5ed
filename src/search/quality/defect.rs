//! Kinds of defects of products.

use crate::search::pricing::Currency;

/// Maximum letters of a title that pages show: the most that shopping sites take.
pub const TITLE_LETTERS: usize = 150;

/// Number of currencies that are checked in all products: those that most products have.
pub(super) const CURRENCIES: usize = 8;

/// Kind of fault that a product may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefectKind {
    /// It has no image.
    NoImage,
    /// It has no brand.
    NoBrand,
    /// It is in no category that the shop shows.
    NoCategory,
    /// It has no price in this currency for callers without an account.
    NoPrice(Currency),
    /// Another product has its title.
    SharedTitle,
    /// Its title has more than [`TITLE_LETTERS`] letters.
    LongTitle,
    /// It has an attribute that no other product has.
    LoneAttribute,
    /// It has a typing error of a common word that it lacks.
    MistypedWord,
}
