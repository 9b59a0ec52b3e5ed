//! Parts of a compound, and their terms in the index.

/// Prefix of the stem of a compound's head: the `jacke` of `winterjacke`.
pub const HEAD: char = '\u{5}';
/// Prefix of the stem of the word before the head: the `winter` of `winterjacke`. No prefix of a term is greater.
pub const MODIFIER: char = '\u{6}';

/// The parts of a compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompoundParts {
    /// The byte of the folded word at which its head begins.
    pub head_start: usize,
    /// Stem of the head.
    pub head: String,
    /// Stem of the word before it.
    pub modifier: String,
}
