//! Reason why a file of records cannot be read to its end.

use std::io;

/// Reason why a file cannot be read to its end. Nothing of its text is quoted.
#[derive(Debug, thiserror::Error)]
pub enum RecordFault {
    /// The source stopped: network, decompression or a limit of the given reader.
    #[error("the feed could not be read beyond byte {offset}")]
    Read {
        /// Offset in the decoded file.
        offset: u64,
        /// Error of the reader; not part of the sentence, because it may name an address.
        #[source]
        source: io::Error,
    },
    /// The text breaks the format's own grammar, so that the bounds of records are no longer known.
    #[error("{reason} (line {line}, byte {offset})")]
    Malformed {
        /// The sentence, without the place: what is wrong, and what to send.
        reason: &'static str,
        /// Line, from 1.
        line: u64,
        /// Offset in the decoded file, from 0.
        offset: u64,
    },
    /// The file ends within a record or before its closing tag.
    #[error("the feed ends in its middle; it was cut off (line {line}, byte {offset})")]
    Truncated {
        /// Line, from 1.
        line: u64,
        /// Offset in the decoded file, from 0.
        offset: u64,
    },
    /// Nothing tells which of its columns is the product's id or title.
    #[error(
        "its columns could not be told: {0}; a mapping says what they mean (lethe account feed NAME --map FILE)"
    )]
    Unmapped(String),
    /// More names than [`crate::limits::FEED_COLUMNS`].
    #[error("the feed has more than 10,000 columns")]
    TooManyColumns,
}
