//! Pieces of a feed or a delta.

use super::section::FeedPart;

/// A row as sent, not judged yet.
#[derive(Clone, Copy)]
pub struct RawRow<'a> {
    /// The section it stands in.
    pub section: FeedPart,
    /// Position among the rows of its section, from 1; empty rows are not counted.
    pub number: u64,
    /// Offset of its first byte in the decoded feed, from 0.
    pub offset: u64,
    /// The row's bytes: one JSON value if the sender made no mistake.
    pub json: &'a [u8],
}

/// Parts of a feed, in the order in which they were sent.
pub enum FeedPiece<'a> {
    /// A section begins; it may have no rows, and may come again.
    Section(FeedPart),
    /// A row of the section that began last.
    Row(RawRow<'a>),
    /// A row larger than [`crate::limits::FEED_ROW_BYTES`]: a bad row whose bytes were not kept.
    Oversize {
        /// The section it stands in.
        section: FeedPart,
        /// As in [`RawRow::number`].
        number: u64,
        /// As in [`RawRow::offset`].
        offset: u64,
    },
    /// A part that is no section, with a name that resembles one.
    Unknown(UnknownSection),
}

/// Rows perhaps, under a name that resembles a section's. They are not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownSection {
    /// The name as sent.
    pub name: String,
    /// The section that was meant.
    pub meant: FeedPart,
    /// Offset of the name in the decoded feed.
    pub offset: u64,
}
