//! A row of a feed or a delta as sent, and a part whose rows are not read.

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
    /// Where it comes from.
    pub origin: RowOrigin,
    /// The row's bytes: one JSON value if the sender made no mistake.
    pub json: &'a [u8],
}

/// Origin of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowOrigin {
    /// It stands in the feed as it is.
    Feed,
    /// It was converted from the record that begins on this line of a feed of another system, from 1.
    Line(u64),
    /// It was made of a text that rows of another section name.
    Derived,
}

impl RowOrigin {
    /// The line on which it begins, if that is known.
    #[must_use]
    pub fn line(self) -> Option<u64> {
        if let Self::Line(line) = self { Some(line) } else { None }
    }
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
