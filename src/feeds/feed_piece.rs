//! Pieces of a feed or a delta, in the order in which they are read.

use super::issue::Issue;
use super::raw_row::{RawRow, UnknownSection};
use super::section::FeedPart;

/// Parts of a feed, in the order in which they were sent.
pub enum FeedPiece<'a> {
    /// A section begins; it may have no rows, and may come again.
    Section(FeedPart),
    /// A row of the section that began last.
    Row(RawRow<'a>),
    /// A finding about a row that is given at another time, or never: a bad one stands for a row that is skipped, such
    /// as one larger than [`crate::limits::FEED_ROW_BYTES`].
    Issue(Issue),
    /// A part that is no section, with a name that resembles one.
    Unknown(UnknownSection),
}
